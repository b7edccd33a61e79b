import type { UploadedFile } from '@kinora/sdk';

/** An uploaded image with a small copy of it: the API does not give images back. */
export interface KnownImage {
  file: UploadedFile;
  /** A data URL. */
  preview: string;
}

const prefix = 'kinora.image.';

/** Keeps an image until the tab is closed, so that a reload and "make again" find it. */
export function rememberImage(image: KnownImage): void {
  try {
    sessionStorage.setItem(prefix + image.file.id, JSON.stringify(image));
  } catch {
    // The storage is full: a reload then shows the image's facts without the image.
  }
}

/** Returns an image that was uploaded in this tab and still exists on the server. */
export function knownImage(fileId: string): KnownImage | null {
  const text = sessionStorage.getItem(prefix + fileId);
  const image = text === null ? null : (JSON.parse(text) as KnownImage);
  return image && image.file.expires_at * 1000 > Date.now() ? image : null;
}

/** Returns the image of a task, if it was uploaded in this tab. Tasks show only the hash of their image. */
export function knownImageOfTask(sha256: string | undefined): KnownImage | null {
  if (sha256 === undefined) return null;
  const ids = Object.keys(sessionStorage).filter((name) => name.startsWith(prefix));
  for (const name of ids) {
    const image = knownImage(name.slice(prefix.length));
    if (image?.file.sha256 === sha256) return image;
  }
  return null;
}

/** 960 pixels: sharp on every canvas of the page, and small enough to be kept. */
const previewSide = 960;

/** Returns a small copy of an image, upright and on white, as the service stores it. Throws if it cannot be read. */
export async function previewOf(image: Blob): Promise<string> {
  const bitmap = await createImageBitmap(image);
  const scale = Math.min(1, previewSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser has no canvas');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', 0.85);
}
