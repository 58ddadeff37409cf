/* Crashes of the database: a claim does not wait for the disk. A crash forgets the claims that are not there yet, and
   the next claims may draw their fences again, while the workers that were told of them go on. A task is recorded once,
   by the worker that holds it, and what a worker was told to be recorded stays.

   A statement in atomic is a transaction under the locks that the SQL takes. The disk has what came first: never a
   transaction without all earlier ones. Guards, each taken away by -DNO_…:
   OWNER  the lease that a completion names must be the worker's own: its fence may have been drawn twice
   FLUSH  a completion is on the disk, and with it every earlier claim, before the worker hears of it */
#ifdef NO_OWNER
#define IS_OWN true
#else
#define IS_OWN (on.holder[t] == d)
#endif

#define TASKS 2
#define CLAIMS 3   /* of each worker */
#define CRASHES 2

#define READY 0
#define LEASED 1
#define DONE 2

typedef Database {
  byte state[TASKS];
  byte fence_of[TASKS];  /* of the lease that holds it; 0: none */
  byte holder[TASKS];
  byte last_fence
};
Database on;    /* what transactions see */
Database disk;  /* what a crash leaves */
byte told[TASKS];  /* how often a worker heard that it is recorded */

inline copy(from, to) {
  d_step {
    to.state[0] = from.state[0]; to.fence_of[0] = from.fence_of[0]; to.holder[0] = from.holder[0];
    to.state[1] = from.state[1]; to.fence_of[1] = from.fence_of[1]; to.holder[1] = from.holder[1];
    to.last_fence = from.last_fence
  }
}

proctype worker(byte d) {
  byte t, f, n;
  do
  :: n < CLAIMS ->
    n++; f = 0;
    if :: t = 0 :: t = 1 fi;
    atomic {
      if
      :: on.state[t] == READY ->
           on.last_fence++; f = on.last_fence; on.state[t] = LEASED; on.fence_of[t] = f; on.holder[t] = d
      :: else
      fi
    };
    /* It runs the task: others, and crashes, may do anything meanwhile. */
    if
    :: f > 0 ->
      atomic {
        if
        :: on.state[t] == LEASED && on.fence_of[t] == f && IS_OWN ->
             assert(on.holder[t] == d);
             on.state[t] = DONE; on.fence_of[t] = 0;
#ifndef NO_FLUSH
             copy(on, disk);
#endif
             told[t]++
        :: else
        fi
      }
    :: else
    fi
  :: break
  od
}

proctype log_writer() {
  byte n;
  do
  :: n < 2 -> n++; atomic { copy(on, disk) }
  :: break
  od
}

proctype crash() {
  byte n;
  do
  :: n < CRASHES -> n++; atomic { copy(disk, on) }
  :: break
  od
}

init {
  atomic { run worker(0); run worker(1); run log_writer(); run crash() };
  (_nr_pr == 1);
  assert(told[0] <= 1 && told[1] <= 1);
  assert(told[0] == (on.state[0] == DONE) && told[1] == (on.state[1] == DONE))
}
