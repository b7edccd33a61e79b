export type BoxProgram = 'ffmpeg' | 'node';

/** The resources that a boxed child may use before it is killed. */
export interface BoxLimits {
  /** For node, this is on top of what an idle node process maps, most of which is V8's untouched code range. */
  memoryBytes: number;
  cpuSeconds: number;
  fileSizeBytes: number;
  timeoutMilliseconds: number;
}
