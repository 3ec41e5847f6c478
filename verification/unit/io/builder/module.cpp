#define BOOST_TEST_MODULE builder
#include <boost/test/unit_test.hpp>
