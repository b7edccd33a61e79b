export interface GallerySearch {}

/** Reads the state of the page from its address; what is malformed is left out. */
export function readGallerySearch(_search: Record<string, unknown>): GallerySearch {
  return {};
}
