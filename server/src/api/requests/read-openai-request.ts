import { createHash } from 'node:crypto';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { GenerationRequest, GenerationType, Warning } from '../../domain/generation-request.ts';
import { requestLimits } from '../../domain/generation-request.ts';
import { formatSize, nearestSize, openAiSizes, parseSize } from '../../domain/openai-size.ts';
import { sizeOf } from '../../domain/size.ts';
import { AppError } from '../../errors.ts';
import type { Problem } from '../../http/problems.ts';
import { knownFields } from '../schemas/generation-request-schema.ts';
import { readFormFields } from './form-fields.ts';
import { imageUrlProblem } from './image-url-problem.ts';
import { MultipartForm } from './parse-multipart-bodies.ts';
import type { PromptWarning } from './prompt-warning.ts';
import { readGenerationRequest } from './read-generation-request.ts';
import type { RefusalOfUrl } from './receiver-url-problem.ts';

interface Options {
  catalogue: Catalogue;
  isStrict: boolean;
  allowHttpImages: boolean;
  refusalOfUrl: RefusalOfUrl;
  livemode: boolean;
  promptWarning: PromptWarning;
}

interface OpenAiRequest {
  type: GenerationType;
  request: GenerationRequest;
  warnings: Warning[];
  upload?: Uint8Array | undefined;
}

/** The fields that only OpenAI-compatible requests have, each with the native fields that it replaces. */
const openAiFields = {
  seconds: ['duration'],
  size: ['resolution', 'aspect_ratio'],
  input_reference: ['image_url'],
} as const;
const openAiNames = Object.keys(openAiFields);
/** Any file id: it only shows that there is an image. */
const uploadPlaceholder = 'file_upload';

/** Reads an OpenAI-compatible create, from JSON or a form, by translating its fields to the native ones. */
export function readOpenAiRequest(body: unknown, options: Options): OpenAiRequest {
  const { fields: given, file, problems } = splitBody(body);
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const { seconds, size, input_reference: reference, ...others } = fields;
  const read = {
    ...readSeconds(seconds, problems),
    ...readSize(size, problems),
    ...readReference(file ? uploadPlaceholder : reference, options, problems),
  };
  for (const [name, replaced] of Object.entries(openAiFields)) {
    for (const other of replaced) if (name in fields && other in fields) problems.push(conflict(other, name));
  }
  const translated = { ...others, ...read };
  const type = 'image_url' in translated ? 'image_to_video' : 'text_to_video';
  const { request, warnings } = readGenerationRequest(translated, {
    ...options,
    type,
    alreadyRead: { names: openAiNames, problems, shownAs: shownAs(fields) },
  });
  return {
    type,
    request: file ? { ...request, imageUrl: `upload:${digest(file.bytes)}` } : request,
    warnings: [...sizeWarnings(size, request), ...warnings],
    upload: file?.bytes,
  };
}

/** Renames image_url in a later error about the image to input_reference, the parameter that the caller used. */
export function withOpenAiParam(error: unknown): unknown {
  if (!(error instanceof AppError) || error.param !== 'image_url') return error;
  const renamed = (text: string) => text.replaceAll('image_url', 'input_reference');
  return new AppError(error.code, {
    param: 'input_reference',
    message: renamed(error.message),
    details: error.details.map((detail) => ({
      ...detail,
      param: renamed(detail.param),
      message: renamed(detail.message),
    })),
    retryAfterSeconds: error.retryAfterSeconds ?? undefined,
    cause: error,
  });
}

/** Returns the OpenAI-compatible names that the caller used, by the native fields that they replace. */
function shownAs(fields: Record<string, unknown>): Record<string, string> {
  const used = Object.entries(openAiFields).filter(([name]) => name in fields);
  return Object.fromEntries(used.flatMap(([name, replaced]) => replaced.map((other) => [other, name])));
}

function splitBody(body: unknown) {
  if (body instanceof MultipartForm) {
    const known = [...knownFields, ...openAiNames];
    return readFormFields(body, { known, integers: ['seed', 'duration'], file: 'input_reference' });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('invalid_parameter', { message: 'The body must be a JSON object.' });
  return { fields: body as Record<string, unknown>, file: null, problems: [] as Problem[] };
}

function readSeconds(seconds: unknown, problems: Problem[]): { duration?: number } {
  if (seconds === undefined) return {};
  const { minimum, maximum } = requestLimits.durationSeconds;
  const duration = typeof seconds === 'string' && /^([1-9]|10)$/.test(seconds) ? Number(seconds) : seconds;
  if (typeof duration === 'number' && Number.isInteger(duration) && duration >= minimum && duration <= maximum)
    return { duration };
  const message = `seconds must be a whole number from "${minimum}" to "${maximum}"`;
  problems.push({
    error: 'invalid_parameter',
    param: 'seconds',
    code: 'not_allowed',
    message,
    allowed: [minimum, maximum],
  });
  return {};
}

function readSize(size: unknown, problems: Problem[]): { resolution?: string; aspect_ratio?: string } {
  if (size === undefined) return {};
  const requested = typeof size === 'string' ? parseSize(size) : null;
  const nearest = requested && nearestSize(requested);
  if (nearest) return { resolution: nearest.resolution, aspect_ratio: nearest.aspectRatio };
  const message = `size must be one of ${openAiSizes.join(', ')}, or within 15 % of one`;
  problems.push({ error: 'invalid_parameter', param: 'size', code: 'not_allowed', message, allowed: openAiSizes });
  return {};
}

function sizeWarnings(size: unknown, { resolution, aspectRatio }: GenerationRequest): Warning[] {
  if (size === undefined || aspectRatio === null) return [];
  const delivered = formatSize(sizeOf(resolution, aspectRatio));
  if (delivered === size) return [];
  return [
    {
      code: 'size_adjusted',
      param: 'size',
      message: `The size was changed to the nearest available one, ${delivered}.`,
    },
  ];
}

/** Reads a URL, data URI or file id, either as a string or as an object with image_url or file_id. */
function readReference(reference: unknown, options: Options, problems: Problem[]): { image_url?: string } {
  if (reference === undefined) return {};
  const refuse = (message: string) => {
    problems.push({ error: 'invalid_parameter', param: 'input_reference', code: 'malformed', message });
    return {};
  };
  const imageUrl = urlOfReference(reference);
  if (imageUrl === null || imageUrl === '')
    return refuse('input_reference must be a file, a string, or an object with either image_url or file_id');
  const problem = imageUrlProblem(imageUrl, { allowHttp: options.allowHttpImages });
  return problem ? refuse(problem.message.replaceAll('image_url', 'input_reference')) : { image_url: imageUrl };
}

function urlOfReference(reference: unknown): string | null {
  if (typeof reference === 'string') return reference;
  if (typeof reference !== 'object' || reference === null) return null;
  const { image_url: url = null, file_id: fileId = null } = reference as { image_url?: unknown; file_id?: unknown };
  if (typeof url === 'string' && fileId === null) return url;
  return typeof fileId === 'string' && url === null && fileId.startsWith('file_') ? fileId : null;
}

function conflict(param: string, openAiName: string): Problem {
  const message = `${param} must not be sent together with ${openAiName}`;
  return { error: 'invalid_parameter', param, code: 'not_allowed', message };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
