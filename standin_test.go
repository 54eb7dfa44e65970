package gridstride_test

// standInEnv, set, makes the tests take a stand-in for NVIDIA's driver with the simulator as its
// GPU.
const standInEnv = "GRIDSTRIDE_TEST_STANDIN"
