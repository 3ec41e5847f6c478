#define BOOST_TEST_MODULE elements
#include <boost/test/unit_test.hpp>
