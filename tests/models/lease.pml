/* Leases: two devices, each with a process that may fall silent, be replaced and speak on, run two tasks; a duty ends
   the leases of the silent. A task is recorded once, by the process that holds it, in time.

   A statement in atomic is a transaction under the locks that the SQL takes. Guards, each taken away by -DNO_…:
   FENCE  a completion must name the lease that holds the task
   TIME   a process that was not heard of for a lease's time records nothing, also before the duty has come
   EPOCH  a process that was replaced claims nothing
   LOCK   a claim looks and takes under one lock */
#ifdef NO_FENCE
#define HOLDS true
#else
#define HOLDS (fence_of[t] == f)
#endif
#ifdef NO_TIME
#define IN_TIME true
#else
#define IN_TIME heard[d]
#endif
#ifdef NO_EPOCH
#define IS_REGISTERED true
#else
#define IS_REGISTERED (epoch[d] == mine)
#endif

#define TASKS 2
#define DEVICES 2
#define FENCES 3

mtype = { ready, leased, done };
mtype state[TASKS] = ready;
byte fence_of[TASKS];  /* of the lease that holds it; 0: none */
byte holder[TASKS];    /* device */
byte recorded[TASKS];
byte epoch[DEVICES];   /* of the registered process */
bool heard[DEVICES];   /* within a lease's time, by the database's clock */
byte last_fence;
bool replaced_claimed, late_recorded;

inline give_back_one(t, d) {
  if
  :: state[t] == leased && holder[t] == d -> state[t] = ready; fence_of[t] = 0
  :: else
  fi
}

inline give_back(d) { give_back_one(0, d); give_back_one(1, d) }

/* A process of device d. It may stop between any two steps, for ever or until it is replaced. */
proctype process(byte d) {
  byte mine, t, f;
  bool seen_ready;
  atomic { give_back(d); epoch[d]++; mine = epoch[d]; heard[d] = true }
  do
  :: last_fence < FENCES ->
    f = 0;
    if :: t = 0 :: t = 1 fi;
#ifdef NO_LOCK
    atomic { seen_ready = state[t] == ready && heard[d] && epoch[d] == mine };
    atomic {
      if
      :: seen_ready && last_fence < FENCES -> last_fence++; f = last_fence; state[t] = leased; fence_of[t] = f; holder[t] = d
      :: else
      fi; seen_ready = false
    };
#else
    atomic {
      if
      :: state[t] == ready && heard[d] && last_fence < FENCES && IS_REGISTERED ->
           replaced_claimed = replaced_claimed || epoch[d] != mine;
           last_fence++; f = last_fence; state[t] = leased; fence_of[t] = f; holder[t] = d
      :: else
      fi
    };
#endif
    /* It runs the task: others may do anything meanwhile. */
    if
    :: f > 0 ->
      atomic {
        if
        :: state[t] == leased && HOLDS && IN_TIME ->
             late_recorded = late_recorded || (fence_of[t] == f && !heard[d]);
             assert(fence_of[t] == f);  /* of whoever holds it now */
             state[t] = done; fence_of[t] = 0; recorded[t]++
#ifdef NO_LOCK
        :: state[t] == done && fence_of[t] == 0 -> recorded[t]++  /* its claim stood beside another's */
#endif
        :: else
        fi
      }
    :: else
    fi
  :: break
  od
}

proctype silence() {
  byte n;
  do
  :: n < 2 -> n++; if :: heard[0] = false :: heard[1] = false fi
  :: break
  od
}

proctype duty() {
  byte n;
  do
  :: n < 2 -> n++; atomic {
      if
      :: !heard[0] -> give_back(0)
      :: !heard[1] -> give_back(1)
      :: else
      fi }
  :: break
  od
}

init {
  atomic { run process(0); run process(1); run silence(); run duty(); run process(0) };
  (_nr_pr == 1);
  assert(recorded[0] <= 1 && recorded[1] <= 1);
  assert(!replaced_claimed);
  assert(!late_recorded)
}
