// Finds scenes by what people type: every word must occur somewhere; a hit in the name counts most.
export interface Searchable {
  name: string;
  title: string;
  description: string;
}

function plain(text: string): string {
  return text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[_-]/g, " ");
}

function score(item: Searchable, words: string[]): number {
  const name = plain(item.name);
  const title = plain(item.title);
  const description = plain(item.description);
  let sum = 0;
  for (const word of words) {
    if (name.startsWith(word)) sum += 8;
    else if (name.includes(word)) sum += 4;
    else if (title.includes(word)) sum += 2;
    else if (description.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

export function searchScenes<T extends Searchable>(items: readonly T[], query: string): T[] {
  const words = plain(query).split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [...items];
  return items
    .map((item) => ({ item, value: score(item, words) }))
    .filter((found) => found.value > 0)
    .sort((a, b) => b.value - a.value)
    .map((found) => found.item);
}
