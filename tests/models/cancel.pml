/* A cancel beside a claim and a completion of the job's task. Once it was answered nothing is recorded, the job ends,
   and nobody waits for ever.

   CHECK   a completion looks at the job under the class's lock, and drops its result when the job is being cancelled
   RELOOK  a cancel looks for leases again when it has the class's lock
   ORDER   lease rows are locked before the class, by everybody */
mtype = { queued, running, cancelling, cancelled, succeeded };
mtype job = queued;
bool ready = true;       /* the task */
bool lease;              /* holds the task */
bool recorded, answered;
bool lease_row, class;   /* locks */

inline acquire(l) { atomic { !l -> l = true } }

proctype worker() {
  bool mine, drop;
  acquire(class);
  if
  :: ready -> ready = false; lease = true; mine = true; if :: job == queued -> job = running :: else fi
  :: else
  fi;
  class = false;
  if
  :: mine ->
    acquire(lease_row);
    if
    :: lease ->
      acquire(class);
#ifndef NO_CHECK
      drop = job == cancelling;
#endif
      lease = false;
      if
      :: drop -> job = cancelled
      :: else -> assert(!answered); recorded = true; job = succeeded
      fi;
      class = false
    :: else
    fi;
    lease_row = false
  :: else
  fi
}

proctype cancel() {
  bool seen;
#ifdef NO_ORDER
  acquire(class);
#endif
  /* Locks the leases of the job that it sees. */
  seen = lease;
  if
  :: seen -> acquire(lease_row)
  :: else
  fi;
#ifndef NO_ORDER
  acquire(class);
#endif
  if
  :: job == succeeded || job == cancelled
  :: else ->
    ready = false;
#ifndef NO_RELOOK
    job = (lease -> cancelling : cancelled);
#else
    job = (seen -> cancelling : cancelled);
#endif
    answered = true
  fi;
  class = false;
  if
  :: seen -> lease_row = false
  :: else
  fi
}

init {
  atomic { run worker(); run cancel() };
  (_nr_pr == 1);
  assert(job == cancelled || job == succeeded);
  assert(!(answered && recorded))
}
