/* Deaths: a worker leases tasks and runs them one after another. One of them kills its process. A process may also be
   killed from outside, or lose its lease in an outage of the database, at any moment. The task that kills ends in
   quarantine, and the other one never does.

   Guards, each taken away by -DNO_…:
   RECORD  of the lease's tasks, only the one that ran at the death is suspect
   DEATH   a lost lease is no death
   LIMIT   three deaths quarantine, not fewer */
#ifdef NO_RECORD
#define RAN true
#else
#define RAN (running == t)
#endif
#ifdef NO_DEATH
#define IS_DEATH true
#else
#define IS_DEATH died
#endif
#ifdef NO_LIMIT
#define LIMIT 2
#else
#define LIMIT 3
#endif

#define HARMLESS 0
#define KILLER 1
#define NONE 2
#define KILLS 2    /* from outside; fewer than it takes to quarantine */
#define OUTAGES 3

mtype = { ready, leased, done, quarantined };
mtype state[2] = ready;
byte crashes[2];       /* as stored */
byte deaths[2];        /* in truth: of a process that ran the task */
byte running = NONE;   /* the record that outlives the process */
byte kills, outages;
bool died;

inline settle_one(n) {
  t = n;
  if
  :: state[t] == leased && IS_DEATH && RAN ->
       crashes[t]++;
       if
       :: crashes[t] >= LIMIT -> assert(deaths[t] >= 3); state[t] = quarantined
       :: else -> state[t] = ready
       fi
  :: state[t] == leased && !(IS_DEATH && RAN) -> state[t] = ready
  :: else
  fi
}

/* The process of a device, from its registration to its end. */
inline life() {
  died = false;
  atomic {
    if :: state[HARMLESS] == ready -> state[HARMLESS] = leased :: else fi;
    if :: state[KILLER] == ready -> state[KILLER] = leased :: else fi
  };
  do
  :: state[HARMLESS] == leased ->
       running = HARMLESS;
       if
       :: running = NONE; state[HARMLESS] = done
       :: kills < KILLS -> kills++; died = true; deaths[HARMLESS]++; break
       :: outages < OUTAGES -> outages++; break
       fi
  :: state[KILLER] == leased -> running = KILLER; died = true; deaths[KILLER]++; break
  :: kills < KILLS -> kills++; died = true; break  /* between two tasks */
  :: outages < OUTAGES -> outages++; break
  :: state[HARMLESS] != leased && state[KILLER] != leased -> break
  od
}

init {
  byte t;
  do
  :: state[HARMLESS] == ready || state[KILLER] == ready ->
       life();
       atomic { settle_one(HARMLESS); settle_one(KILLER); running = NONE }
  :: else -> break
  od;
  assert(state[HARMLESS] == done);
  assert(state[KILLER] == quarantined)
}
