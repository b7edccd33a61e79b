/** Splits a text into words and phrases, which are separated by commas; lines may break anywhere. */
export function phrases(list: string): readonly string[] {
  return list.split(',').map((phrase) => phrase.trim().replaceAll(/\s+/g, ' '));
}
