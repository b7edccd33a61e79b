export interface HostileFile {
  name: string;
  bytes: Buffer;
  /** What its server claims it to be. */
  contentType: string;
  /** `refused`: there is no picture in it. `either`: a decoder may find one, and then it must be within the limits. */
  outcome: 'refused' | 'either';
}

export function refused(name: string, bytes: Buffer, contentType = 'image/png'): HostileFile {
  return { name, bytes, contentType, outcome: 'refused' };
}

export function either(name: string, bytes: Buffer, contentType = 'image/png'): HostileFile {
  return { name, bytes, contentType, outcome: 'either' };
}
