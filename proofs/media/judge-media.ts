import type { ProofOutcome } from '../proof.ts';
import { withoutSignatures } from '../without-signatures.ts';
import type { Evidence, ImageResponse, Observation } from './observation.ts';

const refusals = ['image_unsupported_format', 'image_bad_dimensions', 'image_too_large', 'image_undecodable'];
export const longestSeconds = 5;
const megabyte = 1024 * 1024;
const decoderLimitBytes = 512 * megabyte;
const apiGrowthLimitBytes = 50 * megabyte;
/** Words that only a decoder, a library or a stack trace writes. */
const innerWords =
  /vips|libpng|libjpeg|libwebp|sharp|heif|ffmpeg|magick|input (buffer|file|image)|premature|corrupt|huffman|\bcrc\b|\bidat\b|\bihdr\b|\bvp8|\bsos\b|zlib|inflate|bad seek|rlimit|sigkill|prlimit|node_modules|node:|\.ts\b|\/proc|\/tmp|\/home|\/usr|scratch/i;

export interface Demand {
  hostileFiles: number;
  goodImages: number;
}

/** Judges the evidence of a run, and nothing else. */
export function judgeMedia(evidence: Evidence, demand: Demand): ProofOutcome {
  const { observations, decoders } = evidence;
  const hostile = observations.filter(({ outcome }) => typeof outcome === 'string');
  const good = observations.filter(({ outcome }) => typeof outcome !== 'string');
  const hostileFiles = new Set(hostile.map(({ sha256 }) => sha256)).size;
  const goodFiles = new Set(good.map(({ sha256 }) => sha256)).size;
  const peakBytes = Math.max(0, ...decoders.map((decoder) => decoder.peakBytes));
  const growthBytes = evidence.apiBytesAfter - evidence.apiBytesBefore;

  const failures = observations.flatMap((observation) =>
    objectionsTo(observation).map((text) => `${observation.name} (${observation.source}): ${text}`),
  );
  if (hostileFiles < demand.hostileFiles) failures.push(`only ${hostileFiles} hostile files were sent`);
  if (goodFiles < demand.goodImages) failures.push(`only ${goodFiles} good images were sent`);
  for (const source of ['inline', 'url'] as const) {
    if (!hostile.some((one) => one.source === source)) failures.push(`no hostile file was sent by ${source}`);
  }
  if (decoders.length === 0) failures.push('no decoder was seen at work');
  for (const { pid, peakBytes: bytes, isApart, interfaces } of decoders) {
    if (bytes > decoderLimitBytes) failures.push(`decoder ${pid} used ${inMegabytes(bytes)} MB`);
    if (!isApart) failures.push(`decoder ${pid} was in the network of the API`);
    const reachable = interfaces.filter((name) => name !== 'lo');
    if (reachable.length > 0) failures.push(`decoder ${pid} had the network interfaces ${reachable.join(', ')}`);
  }
  if (growthBytes > apiGrowthLimitBytes) failures.push(`the API grew by ${inMegabytes(growthBytes)} MB`);
  for (const path of evidence.canaryPaths)
    failures.push(`a process requested ${path}, which only a hostile file names`);
  for (const line of evidence.unexpectedErrors) failures.push(`the API logged an unexpected error: ${line}`);

  return {
    figures: {
      hostileFiles,
      goodImages: goodFiles,
      requests: observations.flatMap(responsesOf).length,
      refused: hostile.filter(({ status }) => status === 400).length,
      normalised: hostile.filter(({ status }) => status === 200).length,
      slowestHostileSeconds: slowest(hostile),
      slowestGoodSeconds: slowest(good),
      sentAgain: sentAgain(observations),
      decoders: decoders.length,
      decoderPeakMegabytes: inMegabytes(peakBytes),
      apiMegabytesBefore: inMegabytes(evidence.apiBytesBefore),
      apiGrowthMegabytes: inMegabytes(growthBytes),
    },
    failures,
  };
}

function objectionsTo(observation: Observation): string[] {
  const seconds = leastSeconds(observation);
  return [
    ...(seconds > longestSeconds ? [`it took ${seconds.toFixed(2)} s`] : []),
    ...responsesOf(observation).flatMap((response) => objectionsToResponse(observation.outcome, response)),
  ];
}

function responsesOf(observation: Observation): ImageResponse[] {
  return observation.again ? [observation, observation.again] : [observation];
}

/** Takes the faster response, because a busy machine may delay one; a file that takes too long is late both times. */
function leastSeconds(observation: Observation): number {
  return Math.min(...responsesOf(observation).map(({ seconds }) => seconds));
}

/** Returns what is wrong with the response to a file, whatever else happened. */
export function objectionsToResponse(
  outcome: Observation['outcome'],
  { status, body }: Pick<ImageResponse, 'status' | 'body'>,
): string[] {
  const objections: string[] = [];
  const [word] = innerWords.exec(withoutSignatures(body)) ?? [];
  if (word !== undefined) objections.push(`the response says "${word}"`);
  const response = parse(body);
  if (status === 400) {
    if (typeof outcome !== 'string') objections.push(`a good image was refused: ${response.error?.code}`);
    else if (!refusals.includes(response.error?.code ?? ''))
      objections.push(`it was refused with ${response.error?.code}`);
    if (response.error?.param !== 'image_url') objections.push('the refusal does not name image_url');
    return objections;
  }
  if (status !== 200) return [...objections, `it got the response ${status} ${response.error?.code ?? ''}`.trim()];
  const { width = 0, height = 0 } = response.image ?? {};
  if (outcome === 'refused') objections.push('it was accepted');
  else if (outcome === 'either' && !isWithinLimits(width, height)) objections.push(`it became ${width}x${height}`);
  else if (typeof outcome !== 'string' && (outcome.width !== width || outcome.height !== height))
    objections.push(`it became ${width}x${height} instead of ${outcome.width}x${outcome.height}`);
  return objections;
}

interface ResponseBody {
  error?: { code?: string; param?: string | null };
  image?: { width?: number; height?: number } | null;
}

function parse(body: string): ResponseBody {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function isWithinLimits(width: number, height: number): boolean {
  const ratio = width / height;
  return Math.min(width, height) >= 300 && Math.max(width, height) <= 6000 && ratio >= 0.4 && ratio <= 2.5;
}

function slowest(observations: readonly Observation[]): number {
  return Math.round(Math.max(0, ...observations.map(leastSeconds)) * 100) / 100;
}

/** Names the files that were sent again, with the times of both responses. */
function sentAgain(observations: readonly Observation[]): string {
  const texts = observations.flatMap(({ name, source, seconds, again }) =>
    again ? [`${name} (${source}): ${seconds.toFixed(2)} s, then ${again.seconds.toFixed(2)} s`] : [],
  );
  return texts.join('; ') || 'none';
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / megabyte);
}
