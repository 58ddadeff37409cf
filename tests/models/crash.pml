/* Crashes of the database: claims do not wait for the disk, and submits and completions wait for it only before they
   are answered, when others may have seen them. A crash forgets what is not there yet, and the next submits and claims
   may draw the same IDs and fences again, while the workers that were told of them go on. A task is recorded once, by
   the worker that holds it, with the result of its own job, and what a caller was told stays.

   A statement in atomic is a transaction under the locks that the SQL takes. The disk has what came first: never a
   transaction without all earlier ones. Guards, each taken away by -DNO_…:
   OWNER    the lease that a completion names must be the worker's own: its fence may have been drawn twice
   TIME     a fence ends with the time: those of one worker never equal, though their numbers may
   FLUSH    what a caller is told is on the disk, and with it everything earlier
   SESSION  it waits for the disk in the session of its transaction: after a crash it hears nothing */
#ifdef NO_OWNER
#define IS_OWN true
#else
#define IS_OWN (on.holder == d)
#endif
#ifdef NO_TIME
#define IS_OF_TIME true
#else
#define IS_OF_TIME (on.claimed_at == at)
#endif
#ifdef NO_SESSION
#define IS_SAME_SESSION true
#else
#define IS_SAME_SESSION (crashes == before)
#endif

#define SUBMITS 2  /* that get the same ID as long as it is free */
#define CRASHES 2

#define FREE 0
#define READY 1
#define LEASED 2
#define DONE 3

typedef Database {
  byte state;
  byte job;         /* which has the ID */
  byte fence_of;    /* of the lease that holds it; 0: none */
  byte claimed_at;  /* the time of its fence */
  byte holder;
  byte last_fence
};
Database on;    /* what transactions see */
Database disk;  /* what a crash leaves */
byte jobs;      /* that were submitted, also those that were forgotten */
byte crashes;
byte time[2];  /* of the workers, which grows with each claim; those of two may be equal */
byte accepted;  /* the job of which a client was told */
byte recorded;  /* the job of which a worker was told that it is recorded */
byte told;      /* how often */

inline copy(from, to) {
  d_step {
    to.state = from.state; to.job = from.job; to.fence_of = from.fence_of; to.claimed_at = from.claimed_at;
    to.holder = from.holder; to.last_fence = from.last_fence
  }
}

inline flush() {
#ifdef NO_FLUSH
  skip
#else
  copy(on, disk)
#endif
}

proctype client() {
  byte before, job;
  do
  :: jobs < SUBMITS ->
    job = 0;
    atomic {
      if
      :: on.state == FREE -> jobs++; job = jobs; on.state = READY; on.job = job; before = crashes
      :: else
      fi
    };
    atomic {
      if
      :: job > 0 && IS_SAME_SESSION -> flush(); accepted = job
      :: else
      fi
    }
  :: break
  od
}

/* One of the two claims that a worker has open at a time. */
proctype claim_of(byte d) {
  byte f, at, job, before;
  bool done;
  do
  :: f == 0 ->
    atomic {
      if
      :: on.state == READY ->
           time[d]++; at = time[d]; on.last_fence++; f = on.last_fence; job = on.job;
           on.state = LEASED; on.fence_of = f; on.claimed_at = at; on.holder = d
      :: else
      fi
    };
    /* It runs the task: others, and crashes, may do anything meanwhile. */
    if
    :: f > 0 ->
      atomic {
        if
        :: on.state == LEASED && on.fence_of == f && IS_OF_TIME && IS_OWN ->
             assert(on.holder == d && on.job == job);
             on.state = DONE; on.fence_of = 0; done = true; before = crashes
        :: else
        fi
      };
      atomic {
        if
        :: done && IS_SAME_SESSION -> flush(); recorded = job; told++
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
  :: n < 1 -> n++; atomic { copy(on, disk) }
  :: break
  od
}

proctype crash() {
  do
  :: crashes < CRASHES -> atomic { copy(disk, on); crashes++ }
  :: break
  od
}

init {
  atomic { run client(); run claim_of(0); run claim_of(0); run claim_of(1); run log_writer(); run crash() };
  (_nr_pr == 1);
  assert(accepted == 0 || on.state != FREE && on.job == accepted);
  assert(told <= 1 && (told == 0 || on.state == DONE && on.job == recorded))
}
