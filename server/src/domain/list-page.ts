/** Which part of a list to read. */
export interface ListPage {
  /** The cursor of the page before; null for the first page. */
  after: string | null;
  limit: number;
  order: 'asc' | 'desc';
}
