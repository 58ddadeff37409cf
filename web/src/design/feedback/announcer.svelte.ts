/** Short messages that appear for a while and are read out: "Copied", "Job cancelled". */
export interface Announcement {
  id: number;
  text: string;
  tone: 'neutral' | 'bad';
  /** Takes back what is announced; offered while it is shown. */
  undo: (() => void) | undefined;
}

const shownFor = 6_000; // milliseconds; long enough to read twenty words
const undoableFor = 12_000; // and to decide

class Announcer {
  list = $state<Announcement[]>([]);
  #next = 0;

  say(text: string, tone: Announcement['tone'] = 'neutral', undo?: () => void): void {
    const id = this.#next++;
    this.list.push({ id, text, tone, undo });
    setTimeout(() => this.dismiss(id), undo ? undoableFor : shownFor);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((announcement) => announcement.id !== id);
  }
}

export const announcer = new Announcer();
export const announce = announcer.say.bind(announcer);
