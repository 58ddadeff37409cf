/** Short messages that appear for a while and are read out: "Copied", "Job cancelled". */
export interface Announcement {
  id: number;
  text: string;
  tone: 'neutral' | 'bad';
}

const shownFor = 6_000; // milliseconds; long enough to read twenty words

class Announcer {
  list = $state<Announcement[]>([]);
  #next = 0;

  say(text: string, tone: Announcement['tone'] = 'neutral'): void {
    const id = this.#next++;
    this.list.push({ id, text, tone });
    setTimeout(() => this.dismiss(id), shownFor);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((announcement) => announcement.id !== id);
  }
}

export const announcer = new Announcer();
export const announce = announcer.say.bind(announcer);
