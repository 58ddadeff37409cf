/* The cursor of a lane: two submits draw numbers and commit later; claims take what is committed above the head and
   move the head. No ready task is ever behind the head, and every task is claimed.

   LOCK   a submit holds the class's lock from the drawing of its number to its commit, and a claim takes it, too
   HEAD   the head moves to what was taken, not to what was drawn */
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
  byte mine;
  acquire();
  atomic { drawn++; mine = drawn };
  /* the transaction goes on */
  atomic { there[mine] = true; release(); assert(mine > head) }
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
