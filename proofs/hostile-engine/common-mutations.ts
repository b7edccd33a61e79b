import { brokenResponses } from './broken-responses.ts';
import { brokenVideos } from './broken-videos.ts';
import { type End, engineWords, json, type Mutation, type Operation, type Protocol, raw } from './mutation.ts';

const done: readonly End[] = ['completed'];
/** Ends for an engine without usable responses: lost after a silence, or over the attempt's time limit. */
const late: readonly End[] = ['engine_lost', 'deadline_exceeded', 'generation_stalled'];
const noVideo: readonly End[] = ['output_invalid', ...late];

interface Traits {
  /** Whether Kinora chooses the job ids, so that the response to a submit does not matter. */
  knowsIds: boolean;
  /** The operations that a caller's cancel leads to. */
  cancelling: readonly Operation[];
  /** Whether Kinora fetches results; otherwise they come by callback, and polls hardly matter. */
  isFetched: boolean;
}

const traits: Record<Protocol, Traits> = {
  animatic: { knowsIds: true, cancelling: ['cancel'], isFetched: true },
  cog: { knowsIds: true, cancelling: ['cancel'], isFetched: false },
  // A job of these servers is never deleted before its end, so a cancel only polls it.
  sglang: { knowsIds: false, cancelling: ['cancel', 'poll'], isFetched: true },
  fastvideo: { knowsIds: false, cancelling: ['cancel', 'poll'], isFetched: true },
  'vllm-omni': { knowsIds: false, cancelling: ['cancel', 'queue'], isFetched: true },
  comfyui: { knowsIds: true, cancelling: ['cancel'], isFetched: true },
};

/** Returns the lies that an engine of any protocol can tell. */
export function commonMutations(protocol: Protocol): Mutation[] {
  const { isFetched } = traits[protocol];
  return [
    ...brokenSubmits(protocol),
    ...brokenPolls(protocol),
    ...brokenCancels(protocol),
    ...(isFetched ? [...brokenOutputs(), ...brokenDiscards()] : []),
    ...statusMutations(protocol),
  ];
}

function brokenSubmits(protocol: Protocol): Mutation[] {
  const always: readonly End[] = traits[protocol].knowsIds ? done : ['completed', 'engine_lost'];
  return brokenResponses.map(({ name, spoil }) => ({ name, operations: ['submit'], spoil, once: done, always }));
}

function brokenPolls(protocol: Protocol): Mutation[] {
  const always = traits[protocol].isFetched ? late : done;
  return brokenResponses.map(({ name, spoil, isHarmless }) => ({
    name,
    operations: ['poll'],
    spoil,
    once: done,
    always: isHarmless ? done : always,
  }));
}

function brokenCancels(protocol: Protocol): Mutation[] {
  const operations = [...new Set<Operation>(['cancel', ...traits[protocol].cancelling])];
  const ends: readonly End[] = ['cancelled'];
  return brokenResponses.map(({ name, spoil }) => ({ name, operations, spoil, once: ends, always: ends }));
}

function brokenOutputs(): Mutation[] {
  const responses = brokenResponses
    .filter(({ outlastsOutput }) => !outlastsOutput)
    .map(({ name, spoil, isSlow, isHarmless }): Mutation => {
      const always = isHarmless ? done : [...noVideo, ...(mayStillPlay.test(name) ? done : [])];
      return { name, operations: ['output'], spoil, once: done, ...(isSlow ? {} : { always }) };
    });
  const files = brokenVideos.map(({ name, breakIt, mayPass }): Mutation => {
    const always: readonly End[] = mayPass ? ['output_invalid', 'completed'] : ['output_invalid'];
    const operations = ['output'] as const;
    return {
      name,
      operations,
      spoil: (_, { video, canaryUrl }) => raw(breakIt(video, canaryUrl), 200, 'video/mp4'),
      once: done,
      always,
    };
  });
  const huge: Mutation = {
    name: 'an announcement of 3 GB',
    operations: ['output'],
    spoil: () => (response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 3 * 1024 ** 3 });
      response.write(Buffer.alloc(1000));
    },
    once: done,
    always: ['output_invalid'],
  };
  return [...responses, ...files, huge];
}

/** Truncated videos may still be usable, because Kinora repeats the last frame for a moment. */
const mayStillPlay = /half of|beyond the announced/;

function brokenDiscards(): Mutation[] {
  return brokenResponses.map(({ name, spoil }) => ({ name, operations: ['discard'], spoil, once: done }));
}

/** The meaning of error statuses for a submit, by protocol; with any other, the engine may have accepted the job. */
const refusals: Record<Protocol, { rejects: readonly number[]; refuses: readonly number[] }> = {
  animatic: { rejects: [400, 413], refuses: [409] },
  cog: { rejects: [413, 422], refuses: [400, 401, 403, 404, 405, 409, 410, 418, 429] },
  sglang: { rejects: [400, 413, 422], refuses: [401, 403, 404, 405, 429, 503] },
  fastvideo: { rejects: [400, 413, 422], refuses: [401, 403, 404, 405, 429, 503] },
  'vllm-omni': { rejects: [400, 413, 422], refuses: [401, 403, 404, 405, 429, 503] },
  comfyui: { rejects: [400], refuses: [] },
};

const statuses = [400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 429, 500, 502, 503, 504];
/** Ten refusals in a row take half a minute and trip endpoints, so only this status is tried always. */
const refusedForGood = 429;

function statusMutations(protocol: Protocol): Mutation[] {
  const { rejects, refuses } = refusals[protocol];
  const { isFetched, knowsIds } = traits[protocol];
  return statuses.flatMap((status): Mutation[] => {
    const named = { name: `status ${status}`, spoil: () => json({ error: engineWords, detail: engineWords }, status) };
    const submit = { ...named, operations: ['submit'] } as const;
    const isTaken = status >= 500;
    const submits: Mutation = rejects.includes(status)
      ? { ...submit, once: ['engine_rejected_input'], always: ['engine_rejected_input'] }
      : refuses.includes(status)
        ? { ...submit, once: done, ...(status === refusedForGood ? { always: ['engine_unavailable'] } : {}) }
        : {
            ...submit,
            once: done,
            always: isTaken ? (knowsIds ? done : ['completed', 'engine_lost']) : ['engine_lost'],
          };
    if (!isFetched) return [submits, { ...named, operations: ['poll'], once: done, always: done }];
    const isPassing = status >= 500 || status === 429;
    return [
      submits,
      { ...named, operations: ['poll'], once: done, always: late },
      { ...named, operations: ['output'], once: done, always: isPassing ? noVideo : ['output_invalid'] },
    ];
  });
}
