interface Advice {
  /** What happened, in plain words. */
  title: string;
  /** What the person can do about it. */
  advice: string;
}

/** What to do about each code that a task can fail with. The codes are those of docs/errors.md. */
const adviceByCode: Record<string, Advice> = {
  engine_rejected_input: {
    title: 'The engine cannot render this prompt or image',
    advice: 'Change the prompt or the image. The same request would fail again.',
  },
  output_rejected: {
    title: 'The video was rejected after rendering',
    advice: 'A content filter of the engine probably refused it. Change the prompt.',
  },
  output_invalid: {
    title: 'The engine delivered no usable video',
    advice: 'Make it again with another seed. If that fails too, try another model.',
  },
  engine_out_of_memory: {
    title: 'The engine ran out of memory',
    advice: 'Choose a smaller resolution or a shorter duration.',
  },
  engine_crashed: {
    title: 'The engine crashed while rendering',
    advice: 'Make it again later. If it keeps crashing, tell the operator which endpoint it was.',
  },
  engine_lost: {
    title: 'The engine lost the job',
    advice: 'It probably restarted. Make it again later.',
  },
  generation_stalled: {
    title: 'The engine stopped making progress',
    advice: 'Make it again later. A smaller resolution or a shorter duration may help.',
  },
  engine_unavailable: {
    title: 'No engine accepted the task',
    advice: 'Make it again later, or choose another model.',
  },
  deadline_exceeded: {
    title: 'The task took longer than the installation allows',
    advice: 'Make it again when the queue is shorter, or choose a shorter duration.',
  },
  storage_failed: {
    title: 'The video was rendered, but could not be stored',
    advice: 'Make it again with the same seed. If it happens again, tell the operator.',
  },
  internal_error: {
    title: 'Something went wrong inside Kinora',
    advice: 'Make it again. If it happens again, tell the operator the id of the task.',
  },
};

/** Returns what a code means, as a sentence; a code of a newer server as it is. */
export function failureText(code: string): string {
  const known = adviceByCode[code];
  return known ? `${known.title}.` : code;
}

/** Returns what a failure means and what to do. Codes of newer servers get general words. */
export function adviceFor({ code, retryable }: { code: string; retryable: boolean }): Advice {
  return (
    adviceByCode[code] ?? {
      title: 'The task failed',
      advice: retryable
        ? 'The same request may succeed if you make it again.'
        : 'Change the request before you try again.',
    }
  );
}
