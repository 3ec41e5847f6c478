#define BOOST_TEST_MODULE contact
#include <boost/test/unit_test.hpp>
