import { expect, it } from 'vitest';
import { judgeMedia } from './judge-media.ts';
import type { Evidence, Observation } from './observation.ts';

const megabyte = 1024 * 1024;
const demand = { hostileFiles: 2, goodImages: 1 };
const refusal = (code: string, param = 'image_url', message = 'The image could not be decoded.') =>
  JSON.stringify({ error: { message, code, param }, request_id: 'req_1' });
const task = (width: number, height: number) => JSON.stringify({ task_id: 'task_1', image: { width, height } });

function kept(): Evidence & { observations: [Observation, Observation, Observation] } {
  return {
    observations: [
      {
        name: 'a bomb',
        sha256: 'a',
        source: 'inline',
        outcome: 'refused',
        status: 400,
        body: refusal('image_too_large'),
        seconds: 0.1,
        again: null,
      },
      {
        name: 'a flip',
        sha256: 'b',
        source: 'url',
        outcome: 'either',
        status: 200,
        body: task(480, 360),
        seconds: 4.9,
        again: null,
      },
      {
        name: 'a good one',
        sha256: 'c',
        source: 'url',
        outcome: { width: 300, height: 750 },
        status: 200,
        body: task(300, 750),
        seconds: 1,
        again: null,
      },
    ],
    decoders: [{ pid: 7, peakBytes: 300 * megabyte, isApart: true, interfaces: ['lo'] }],
    apiBytesBefore: 100 * megabyte,
    apiBytesAfter: 149 * megabyte,
    canaryPaths: [],
    unexpectedErrors: [],
  };
}

it('the judge of media accepts a run that refused or normalised every file in time and accepted every good image', () => {
  const { figures, failures } = judgeMedia(kept(), demand);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ hostileFiles: 2, goodImages: 1, refused: 1, normalised: 1, apiGrowthMegabytes: 49 });
});

it('the judge of media accepts a file that was late only once, and shows both times', () => {
  const evidence = kept();
  const [, flip] = evidence.observations;
  Object.assign(flip, { seconds: 6, again: { status: 200, body: task(480, 360), seconds: 2 } });
  const { figures, failures } = judgeMedia(evidence, demand);
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ requests: 4, sentAgain: 'a flip (url): 6.00 s, then 2.00 s' });
});

it('the judge of media ignores words that occur in a signature by chance', () => {
  const evidence = kept();
  const [, flip] = evidence.observations;
  const signature = `vips-CRC-${'a'.repeat(34)}`;
  const events_url = `https://kinora.example.com/v1/videos/task_1/events?expires=1&signature=${signature}`;
  Object.assign(flip, { body: JSON.stringify({ image: { width: 480, height: 360 }, events_url }) });
  expect(judgeMedia(evidence, demand).failures).toEqual([]);
});

const doctored: [name: string, doctor: (evidence: ReturnType<typeof kept>) => void, objection: RegExp][] = [
  [
    'a bomb that was accepted',
    ({ observations: [bomb] }) => Object.assign(bomb, { status: 200, body: task(480, 360) }),
    /a bomb.*accepted/,
  ],
  [
    'a flip that became too small',
    ({ observations: [, flip] }) => Object.assign(flip, { body: task(480, 100) }),
    /became 480x100/,
  ],
  ['a flip that became nothing', ({ observations: [, flip] }) => Object.assign(flip, { body: '{}' }), /became 0x0/],
  [
    'a crash',
    ({ observations: [bomb] }) => Object.assign(bomb, { status: 500, body: refusal('internal_error') }),
    /got the response 500/,
  ],
  ['an overloaded server', ({ observations: [bomb] }) => Object.assign(bomb, { status: 503 }), /got the response 503/],
  [
    'a refusal of another kind',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('invalid_parameter') }),
    /refused with invalid_parameter/,
  ],
  [
    'a file that was never read',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('image_unreachable') }),
    /refused with image_unreachable/,
  ],
  [
    'a refusal that names another parameter',
    ({ observations: [bomb] }) => Object.assign(bomb, { body: refusal('image_too_large', 'prompt') }),
    /does not name image_url/,
  ],
  [
    "a response with a decoder's words",
    ({ observations: [bomb] }) =>
      Object.assign(bomb, { body: refusal('image_undecodable', 'image_url', 'VipsJpeg: premature end') }),
    /says "Vips"/,
  ],
  [
    'a response with a path',
    ({ observations: [bomb] }) =>
      Object.assign(bomb, { body: refusal('image_undecodable', 'image_url', 'see /tmp/x') }),
    /says "\/tmp"/,
  ],
  ['a response after six seconds', ({ observations: [, flip] }) => Object.assign(flip, { seconds: 6 }), /took 6.00 s/],
  [
    'a file that was late twice',
    ({ observations: [, flip] }) =>
      Object.assign(flip, { seconds: 6, again: { status: 200, body: task(480, 360), seconds: 5.5 } }),
    /took 5.50 s/,
  ],
  [
    'a late bomb that was accepted the second time',
    ({ observations: [bomb] }) =>
      Object.assign(bomb, { seconds: 6, again: { status: 200, body: task(480, 360), seconds: 1 } }),
    /a bomb.*accepted/,
  ],
  [
    'a late bomb that was accepted the first time',
    ({ observations: [bomb] }) =>
      Object.assign(bomb, {
        status: 200,
        body: task(480, 360),
        seconds: 6,
        again: { status: 400, body: refusal('image_too_large'), seconds: 1 },
      }),
    /a bomb.*accepted/,
  ],
  [
    'a good image that was refused',
    ({ observations: [, , good] }) => Object.assign(good, { status: 400, body: refusal('image_undecodable') }),
    /good image was refused/,
  ],
  [
    'a good image on its side',
    ({ observations: [, , good] }) => Object.assign(good, { body: task(750, 300) }),
    /became 750x300 instead/,
  ],
  [
    'the same file twice',
    ({ observations: [bomb, flip] }) => Object.assign(flip, { sha256: bomb.sha256 }),
    /only 1 hostile/,
  ],
  ['no good image', ({ observations }) => void observations.pop(), /only 0 good/],
  ['nothing by URL', ({ observations: [, flip] }) => Object.assign(flip, { source: 'inline' }), /was sent by url/],
  [
    'a decoder that used 513 MB',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 513 * megabyte, isApart: true, interfaces: ['lo'] }),
    /decoder 8 used 513 MB/,
  ],
  [
    'a decoder in the network of the API',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 1, isApart: false, interfaces: ['lo'] }),
    /in the network of the API/,
  ],
  [
    'a decoder with an interface',
    ({ decoders }) => void decoders.push({ pid: 8, peakBytes: 1, isApart: true, interfaces: ['lo', 'eth0'] }),
    /had the network interfaces eth0/,
  ],
  ['no decoder at all', ({ decoders }) => void decoders.pop(), /no decoder/],
  [
    'an API that grew',
    (evidence) => Object.assign(evidence, { apiBytesAfter: 151 * megabyte }),
    /the API grew by 51 MB/,
  ],
  ['a request to the canary', ({ canaryPaths }) => void canaryPaths.push('/svg.png'), /requested \/svg.png/],
  [
    'an error in the log',
    ({ unexpectedErrors }) => void unexpectedErrors.push('TypeError'),
    /unexpected error: TypeError/,
  ],
];

it.each(doctored)('the judge of media objects to %s', (_, doctor, objection) => {
  const evidence = kept();
  doctor(evidence);
  expect(judgeMedia(evidence, demand).failures.join('\n')).toMatch(objection);
});
