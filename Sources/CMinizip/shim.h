#include <minizip/unzip.h>
