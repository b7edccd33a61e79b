/** A list of words and phrases from its text, in which a comma ends each and lines may break anywhere. */
export function phrases(list: string): readonly string[] {
  return list.split(',').map((phrase) => phrase.trim().replaceAll(/\s+/g, ' '));
}
