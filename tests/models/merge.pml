/* The end of a job's tasks: two workers complete a task each, one of them says it twice. Exactly one merge task is
   made, after the last task, and the job ends with one report, though the merge's worker may be replaced.

   LOCK   what is left is counted under the class's lock
   LAST   only the completion that leaves nothing makes the merge task
   FENCE  a merge is recorded by the lease that holds it */
#ifdef NO_FENCE
#define HOLDS_MERGE(fence) true
#else
#define HOLDS_MERGE(fence) (merge_fence == fence)
#endif

byte left = 2;
bool done[2];
byte merges;       /* merge tasks made */
byte merge_fence;  /* of the lease that holds the merge task; 0: none */
byte last_fence;
byte reports;
bool lock;

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

init {
  atomic { run worker(0, 1); run worker(1, 2) };
  (_nr_pr == 1);
  assert(merges == 1);
  atomic { run merger(); run merger() };
  (_nr_pr == 1);
  assert(reports <= 1)
}
