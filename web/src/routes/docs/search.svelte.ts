import { topics } from './topics';

export interface Found {
  href: string;
  /** Of the section, and of its page. */
  title: string;
  page: string;
}

interface Indexed extends Found {
  name: string;
  words: string;
}

const shown = 12; // sections; with more, refine the search

/** Searches all topics, which are loaded when something is first searched for. */
class TopicSearch {
  #index = $state.raw<readonly Indexed[]>([]);
  #loading = false;

  ensure(): void {
    if (this.#loading) return;
    this.#loading = true;
    for (const { name, title: page, load } of topics) void load().then(({ default: { sections } }) => {
      const found = sections.map(({ id, title, text }) => ({
        href: `#/docs/${name}/${id}`,
        title,
        page,
        name: `${page} ${title}`.toLowerCase(),
        words: `${page} ${title} ${text}`.toLowerCase(),
      }));
      this.#index = [...this.#index, ...found];
    }, () => (this.#loading = false));
  }

  /** The sections that contain all of the words, matching titles first. */
  find(search: string): readonly Found[] {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (wanted.length === 0) return [];
    const holds = (text: string) => wanted.every((word) => text.includes(word));
    const found = this.#index.filter(({ words }) => holds(words));
    return [...found.filter(({ name }) => holds(name)), ...found.filter(({ name }) => !holds(name))].slice(0, shown);
  }
}

export const topicSearch = new TopicSearch();
