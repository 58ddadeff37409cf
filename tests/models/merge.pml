/* The end of a job's tasks. One worker holds all of them and may bring the job's report with its completion; its lease
   may end first. Then two workers complete a task each, one of them says it twice; exactly one merge task is made, after
   the last task, and its worker may be replaced. The job ends with one report.

   LOCK   what is left is counted under the class's lock
   LAST   only the completion that leaves nothing makes the merge task
   FENCE  a merge is recorded by the lease that holds it
   LEASE  a report that comes with the tasks counts only while their lease holds them all */
#ifdef NO_FENCE
#define HOLDS_MERGE(fence) true
#else
#define HOLDS_MERGE(fence) (merge_fence == fence)
#endif
#ifdef NO_LEASE
#define HOLDS_ALL true
#else
#define HOLDS_ALL all_held
#endif

byte left = 2;
bool done[2];
byte merges;       /* merge tasks made */
byte merge_fence;  /* of the lease that holds the merge task; 0: none */
byte last_fence;
byte reports;
bool lock;
bool all_held = true;  /* by the first lease */

inline acquire() {
#ifndef NO_LOCK
  atomic { !lock -> lock = true }
#else
  skip
#endif
}

inline release() {
#ifndef NO_LOCK
  lock = false
#else
  skip
#endif
}

/* Says it twice, or after its lease has ended. */
proctype whole() {
  byte times;
  for (times : 1 .. 2) {
    acquire();
    if
    :: HOLDS_ALL -> all_held = false; done[0] = true; done[1] = true; left = 0; reports++
    :: else  /* replayed or stale */
    fi;
    release()
  }
}

proctype worker(byte task; byte times) {
  byte seen;
  do
  :: times > 0 ->
    times--;
    acquire();
    if
    :: !done[task] ->
      done[task] = true;
      seen = left;
      left = seen - 1;
#ifndef NO_LAST
      if :: seen == 1 -> merges++ :: else fi
#else
      merges++
#endif
    :: else  /* replayed */
    fi;
    release()
  :: else -> break
  od
}

/* Two processes for the merge task: the first may be thought dead, and its lease ended, before it completes. */
proctype merger() {
  byte mine;
  atomic {
    if
    :: reports == 0 -> last_fence++; mine = last_fence; merge_fence = mine
    :: else
    fi
  };
  atomic {
    if
    :: mine > 0 && HOLDS_MERGE(mine) -> reports++; merge_fence = 0
    :: else
    fi
  }
}

/* The first lease ends, and its tasks are leased again, unless it was completed. */
proctype expiry() {
  bool again;
  acquire();
  if :: all_held -> all_held = false; again = true :: else fi;
  release();
  if :: again -> atomic { run worker(0, 1); run worker(1, 2) } :: else fi
}

init {
  atomic { run whole(); if :: run expiry() :: skip fi };
  (_nr_pr == 1);
  assert(merges + reports == 1 && left == 0);
  if :: merges == 1 -> atomic { run merger(); run merger() } :: else fi;
  (_nr_pr == 1);
  assert(reports == 1)
}
