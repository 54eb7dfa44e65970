// The twins of all families are compiled as one text, this file first. What several of them use:

constexpr int block = 256;
constexpr int record = 64;
