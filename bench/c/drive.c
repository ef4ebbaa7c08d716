/* Drives a program in a terminal of its own and measures what comes back, the same way for us and for every peer.
 *   drive flood READY DONE SECONDS -- ARGV...   waits for READY; after a line on stdin presses Enter, waits for DONE
 *   drive watch READY DONE SECONDS -- ARGV...   the same without pressing Enter: a second viewer
 *   drive stall READY -    SECONDS -- ARGV...   after the line on stdin it reads nothing any more
 *   drive poke  READY -    SECONDS -- ARGV...   presses Enter and waits until a flood is under way
 *   drive open  WORD  -    SECONDS -- ARGV...   how long and how many bytes until a late viewer shows WORD
 *   drive echo  READY KEYS SECONDS -- ARGV...   presses Enter, then KEYS keys, each after the echo of the one before
 * It says "ready" when READY was seen, then one line of figures (monotonic nanoseconds). It waits for the end of its
 * stdin before it ends what it started, so that a viewer can be kept. SECONDS bounds its life, whatever happens. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, KEEP = 64, GAP_US = 4000, MOST_KEYS = 4096, FLOODING = 64 * 1024 };

static int master = -1;
static pid_t child = -1;
static int stdin_open = 1;
static uint64_t received = 0;
static char window_[CHUNK + KEEP];
static size_t kept = 0;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void end_child(void) {
  if (child <= 0) return;
  if (master >= 0) close(master);
  kill(child, SIGHUP);
  kill(child, SIGTERM);
  for (int i = 0; i < 200; i++) {
    if (waitpid(child, NULL, WNOHANG) != 0) return;
    usleep(10000);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static void give_up(int sig) {
  (void)sig;
  if (child > 0) kill(child, SIGKILL);
  _exit(3);
}

/* One read; the last bytes of the read before stand in front of it, so that a cut word is found. 0 at the end. */
static ssize_t take(void) {
  ssize_t n = read(master, window_ + kept, CHUNK);
  if (n <= 0) return n < 0 && (errno == EINTR || errno == EAGAIN) ? -1 : 0;
  received += (uint64_t)n;
  return n;
}

static void slide(size_t filled) {
  kept = filled < KEEP ? filled : KEEP;
  memmove(window_, window_ + filled - kept, kept);
}

/* Reads until the word is seen. Returns 0 if the program ended first. */
static int until(const char *word) {
  for (;;) {
    ssize_t n = take();
    if (n == 0) return 0;
    if (n < 0) continue;
    size_t filled = kept + (size_t)n;
    int found = memmem(window_, filled, word, strlen(word)) != NULL;
    if (found) kept = 0;
    else slide(filled);
    if (found) return 1;
  }
}

/* Waits for a line on stdin and goes on reading the terminal meanwhile. */
static void until_told(void) {
  for (;;) {
    struct pollfd fds[2] = {{0, POLLIN, 0}, {master, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents && take() == 0) exit(4);
    if (fds[0].revents) {
      char line[64];
      ssize_t n = read(0, line, sizeof line);
      if (n <= 0) stdin_open = 0;
      return;
    }
  }
}

/* The terminal is quiet: nothing came for a while. */
static void settle(void) {
  for (;;) {
    struct pollfd fd = {master, POLLIN, 0};
    if (poll(&fd, 1, 150) == 0) break;
    if (take() == 0) exit(4);
  }
  kept = 0;
}

static void press(char key) {
  while (write(master, &key, 1) < 0 && errno == EINTR) {
  }
}

/* Letters that end no control sequence a multiplexer would send. */
static const char KEYS[] = "jkowyzve";

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void echo(int count) {
  static uint64_t took[MOST_KEYS];
  int lost = 0, done = 0;
  press('\r');
  settle();
  for (int i = 0; i < count && i < MOST_KEYS; i++) {
    char key = KEYS[i % (int)(sizeof KEYS - 1)];
    usleep(GAP_US);
    uint64_t start = now_ns();
    press(key);
    for (;;) {
      struct pollfd fd = {master, POLLIN, 0};
      if (poll(&fd, 1, 2000) == 0) {
        lost++;
        break;
      }
      ssize_t n = take();
      if (n == 0) exit(4);
      if (n > 0 && memchr(window_, key, (size_t)n)) {
        took[done++] = now_ns() - start;
        break;
      }
    }
  }
  qsort(took, (size_t)done, sizeof took[0], by_size);
  printf("{\"lost\":%d,\"ns\":[", lost);
  for (int i = 0; i < done; i++) printf("%s%llu", i ? "," : "", (unsigned long long)took[i]);
  printf("]}\n");
}

int main(int argc, char **argv) {
  if (argc < 7 || strcmp(argv[5], "--") != 0) return 2;
  const char *mode = argv[1], *ready = argv[2], *goal = argv[3];
  signal(SIGALRM, give_up);
  signal(SIGTERM, give_up);
  signal(SIGPIPE, SIG_IGN);
  alarm((unsigned)atoi(argv[4]));
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  setenv("TERM", "xterm-256color", 1);
  uint64_t born = now_ns();
  child = forkpty(&master, NULL, NULL, &size);
  if (child < 0) return 5;
  if (child == 0) {
    execvp(argv[6], argv + 6);
    _exit(127);
  }
  setvbuf(stdout, NULL, _IONBF, 0);
  if (!until(ready)) {
    fprintf(stderr, "the program ended before it was ready\n%.*s\n", (int)kept, window_);
    return 4;
  }
  uint64_t seen = now_ns();
  printf("ready\n");
  until_told();
  if (!strcmp(mode, "echo")) echo(atoi(goal));
  else if (!strcmp(mode, "open")) {
    settle();
    printf("{\"start\":%llu,\"end\":%llu,\"bytes\":%llu}\n", (unsigned long long)born, (unsigned long long)seen,
           (unsigned long long)received);
  } else if (!strcmp(mode, "poke")) {
    press('\r');
    for (received = 0; received < FLOODING;)
      if (take() == 0) return 4;
    printf("{}\n");
  } else if (strcmp(mode, "stall") != 0) {
    received = 0;
    kept = 0;
    uint64_t start = now_ns();
    if (!strcmp(mode, "flood")) press('\r');
    if (!until(goal)) return 4;
    printf("{\"start\":%llu,\"end\":%llu,\"bytes\":%llu}\n", (unsigned long long)start, (unsigned long long)now_ns(),
           (unsigned long long)received);
  }
  while (stdin_open) {
    struct pollfd fds[2] = {{0, POLLIN, 0}, {strcmp(mode, "stall") ? master : -1, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents && take() == 0) break;
    char line[64];
    if (fds[0].revents && read(0, line, sizeof line) <= 0) stdin_open = 0;
  }
  end_child();
  return 0;
}
