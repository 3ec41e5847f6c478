#define BOOST_TEST_MODULE deck
#include <boost/test/unit_test.hpp>
