/* A program to hold in a terminal, as cheap as can be, so that the figures are the holder's.
 *   agent flood FILE TIMES SECONDS   says READY until a key comes, then writes FILE so many times, then DONE, then waits
 *   agent echo SECONDS               says READY until a key comes, then gives back every key
 *   agent spin SECONDS               draws a spinner, eight times a second
 *   agent idle SECONDS               draws once and waits
 * SECONDS bounds its life, whoever forgets it. The words are put together here, so that no argument shows them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, SPIN_US = 125000 };

static void put(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t n = write(1, bytes, length);
    if (n <= 0) exit(1);
    bytes += n;
    length -= (size_t)n;
  }
}

static void say(const char *word) {
  char line[64];
  put(line, (size_t)snprintf(line, sizeof line, "\r\n\x1b[0m%s-%d\r\n", word, 7));
}

static void raw(void) {
  struct termios t;
  if (tcgetattr(0, &t) != 0) return;
  cfmakeraw(&t);
  tcsetattr(0, TCSANOW, &t);
}

static void until_key(void) {
  char key;
  struct pollfd fd = {0, POLLIN, 0};
  do say("READY");
  while (poll(&fd, 1, 100) == 0);
  if (read(0, &key, 1) <= 0) exit(1);
}

static void flood(const char *file, int times) {
  int fd = open(file, O_RDONLY);
  struct stat about;
  if (fd < 0 || fstat(fd, &about) != 0) exit(1);
  size_t size = (size_t)about.st_size;
  const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (bytes == MAP_FAILED) exit(1);
  until_key();
  for (int i = 0; i < times; i++)
    for (size_t at = 0; at < size; at += PIECE) put(bytes + at, size - at < PIECE ? size - at : PIECE);
  say("DONE");
  for (;;) pause();
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  alarm((unsigned)atoi(argv[argc - 1]));
  raw();
  if (!strcmp(argv[1], "flood") && argc == 5) flood(argv[2], atoi(argv[3]));
  if (!strcmp(argv[1], "echo")) {
    char keys[256];
    until_key();
    for (ssize_t n; (n = read(0, keys, sizeof keys)) > 0;) put(keys, (size_t)n);
  }
  if (!strcmp(argv[1], "spin")) {
    static const char *const FACES[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"};
    for (int i = 0;; i++) {
      char line[96];
      put(line, (size_t)snprintf(line, sizeof line, "\r\x1b[36m%s\x1b[0m Working… \x1b[2m(%d s)\x1b[0m", FACES[i % 8], i / 8));
      usleep(SPIN_US);
    }
  }
  say("READY");
  for (;;) pause();
}
