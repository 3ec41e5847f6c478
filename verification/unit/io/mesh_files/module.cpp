#define BOOST_TEST_MODULE mesh_files
#include <boost/test/unit_test.hpp>
