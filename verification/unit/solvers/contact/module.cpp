#define BOOST_TEST_MODULE free_bodies
#include <boost/test/unit_test.hpp>
