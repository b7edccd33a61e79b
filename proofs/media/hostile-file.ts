export interface HostileFile {
  name: string;
  bytes: Buffer;
  /** The content type that its server sends. */
  contentType: string;
  /** `refused`: the file has no image. `either`: a decoder may find one, which must then be within the limits. */
  outcome: 'refused' | 'either';
}

export function refused(name: string, bytes: Buffer, contentType = 'image/png'): HostileFile {
  return { name, bytes, contentType, outcome: 'refused' };
}

export function either(name: string, bytes: Buffer, contentType = 'image/png'): HostileFile {
  return { name, bytes, contentType, outcome: 'either' };
}

export const refusedJpeg = (name: string, bytes: Buffer): HostileFile => refused(name, bytes, 'image/jpeg');
export const eitherJpeg = (name: string, bytes: Buffer): HostileFile => either(name, bytes, 'image/jpeg');
export const refusedWebp = (name: string, bytes: Buffer): HostileFile => refused(name, bytes, 'image/webp');
export const eitherWebp = (name: string, bytes: Buffer): HostileFile => either(name, bytes, 'image/webp');
