package gridstride_test

// standInEnv, set, makes the tests use a simulated NVIDIA driver with the simulator as its GPU.
const standInEnv = "GRIDSTRIDE_TEST_STANDIN"
