/* The cursor of a lane: submits draw numbers, take the class's lock later, and commit in any order; claims take what is
   committed above the head and move the head. No ready task is ever behind the head, and every task is claimed.

   LOCK   a submit holds the class's lock from its look at the head to its commit, and a claim takes it, too
   HEAD   the head moves to what was taken, not to what was drawn
   BACK   a submit with a lower number than the head moves the head back */
#define SUBMITS 3

byte drawn;                   /* the sequence */
byte head;
bool there[SUBMITS + 1];      /* committed ready rows, by number */
bool taken[SUBMITS + 1];
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

proctype submit() {
  byte mine, seen;
  atomic { drawn++; mine = drawn };
  /* other rows are inserted */
  acquire();
  seen = head;
#ifndef NO_BACK
  if :: seen >= mine -> seen = mine - 1 :: else fi;
#endif
  /* the commit shows the row and the head */
  atomic { there[mine] = true; head = seen; release(); assert(mine > head) }
}

proctype claim() {
  byte n, i;
  for (n : 1 .. 2) {
    acquire();
    atomic {
      for (i : 1 .. SUBMITS) {
        if
        :: there[i] && i > head -> there[i] = false; taken[i] = true;
#ifndef NO_HEAD
           head = i; break
#else
           head = drawn; break
#endif
        :: else
        fi
      };
      for (i : 1 .. SUBMITS) { assert(!there[i] || i > head) };
      i = 0;
      release()
    }
  }
}

init {
  byte i;
  atomic { run submit(); run submit(); run submit(); run claim(); run claim() };
  (_nr_pr == 1);
  for (i : 1 .. SUBMITS) { assert(taken[i] || i > head) }
}
