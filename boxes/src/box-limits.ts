export type BoxProgram = 'ffmpeg' | 'ffprobe' | 'node';

/** What a boxed child may use before it is killed. */
export interface BoxLimits {
  /** For node: on top of what an idle node maps, most of which is V8's untouched code range. */
  memoryBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
  timeoutMilliseconds: number;
}
