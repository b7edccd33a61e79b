import type { Static } from 'typebox';
import { type Catalogue, chooseModel, findModel } from '../../domain/catalogue.ts';
import { directiveWarning, parseDirectives } from '../../domain/directive.ts';
import {
  engineSeed,
  type GenerationRequest,
  type GenerationType,
  requestDefaults,
  requestLimits,
  type Warning,
} from '../../domain/generation-request.ts';
import { type Model, unsupportedBy } from '../../domain/model.ts';
import { nearestName } from '../../domain/nearest-name.ts';
import { AppError } from '../../errors.ts';
import { type Problem, refuseFor } from '../../http/problems.ts';
import { schemaProblems } from '../../http/schema-problems.ts';
import {
  describeUnknownFields,
  nameForPeople,
  unknownFieldProblem,
  unknownFieldWarning,
} from '../../http/unknown-fields.ts';
import { unsupportedMessage } from '../../operations/tasks/resolve-model.ts';
import { imageToVideoSchema, knownFields, textToVideoSchema } from '../schemas/generation-request-schema.ts';
import { imageUrlProblem } from './image-url-problem.ts';
import type { PromptWarning } from './prompt-warning.ts';
import { type RefusalOfUrl, receiverUrlProblem } from './receiver-url-problem.ts';

interface Options {
  type: GenerationType;
  catalogue: Catalogue;
  /** If true, unknown fields are problems instead of warnings. */
  isStrict: boolean;
  allowHttpImages: boolean;
  refusalOfUrl: RefusalOfUrl;
  /** In test mode a prompt may contain directives, which must be valid. */
  livemode: boolean;
  promptWarning: PromptWarning;
  /** Fields that the calling reader has already read, and the problems that it found there. */
  alreadyRead?:
    | {
        names: readonly string[];
        problems: readonly Problem[];
        /** The names under which the client sent fields that were renamed. */
        shownAs: Readonly<Record<string, string>>;
      }
    | undefined;
}

type Fields = Partial<Static<typeof imageToVideoSchema>>;

const problemsOf = {
  text_to_video: schemaProblems(textToVideoSchema),
  image_to_video: schemaProblems(imageToVideoSchema),
};

/** Reads the body of a create. Lists all problems at once; fields that are accepted but not used cause a warning. */
export function readGenerationRequest(
  body: unknown,
  options: Options,
): { request: GenerationRequest; warnings: Warning[] } {
  const { fields, ignored, unknown } = sortFields(body, options.type);
  const { names, problems: foundBefore } = options.alreadyRead ?? { names: [], problems: [] };
  const unknownFields = describeUnknownFields(unknown, [...knownFields, ...names]);
  const problems = [
    ...foundBefore,
    ...inOrder(fieldProblems(fields, options)).map((problem) => withMistypedName(problem, unknown)),
    ...(options.isStrict ? unknownFields.map(unknownFieldProblem) : []),
  ];
  const [first, ...others] = problems;
  if (first) throw refuseFor([first, ...others]);

  // No problem was found, so the fields have the types of the schema.
  const read = fields as Fields & { prompt: string };
  const request: GenerationRequest = {
    prompt: read.prompt,
    negativePrompt: read.negative_prompt || null,
    imageUrl: read.image_url ?? null,
    resolution: read.resolution ?? requestDefaults.resolution,
    aspectRatio: read.aspect_ratio ?? (options.type === 'image_to_video' ? null : requestDefaults.aspectRatio),
    durationSeconds: read.duration ?? requestDefaults.durationSeconds,
    // JSON has a negative zero; adding 0 makes it positive.
    seed: read.seed === undefined || read.seed === -1 ? null : read.seed + 0,
    model: read.model ?? null,
    imageFit: read.image_fit ?? requestDefaults.imageFit,
    metadata: read.metadata ?? {},
    callbackUrl: read.callback_url ?? null,
    callbackEvents: read.callback_events ? [...new Set(read.callback_events)] : null,
  };
  const warnings = [...ignored, ...useWarnings(request, options), ...unknownFields.map(unknownFieldWarning)];
  return { request, warnings };
}

/** Treats null as absent, separates unknown fields, and trims prompts. */
function sortFields(body: unknown, type: GenerationType) {
  if (!isPlainObject(body)) throw new AppError('invalid_parameter', { message: 'The body must be a JSON object.' });
  const fields: Record<string, unknown> = {};
  const ignored: Warning[] = [];
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue;
    if (!knownFields.includes(name)) unknown.push(name);
    else if (type === 'text_to_video' && (name === 'image_url' || name === 'image_fit'))
      ignored.push(ignoredWarning(name));
    else if (name === 'metadata') fields[name] = withoutNulls(value);
    else if (name.endsWith('prompt') && typeof value === 'string') fields[name] = value.trim();
    else fields[name] = value;
  }
  return { fields, ignored, unknown };
}

function fieldProblems(fields: Record<string, unknown>, options: Options): Problem[] {
  const found = problemsOf[options.type](fields).map(withItsOwnCode);
  const isFine = (name: string) => !found.some(({ param }) => param === name || param.startsWith(`${name}.`));
  // Every value whose type differs from the schema has a problem, and is skipped by isFine.
  const { prompt, negative_prompt: negativePrompt, image_url: imageUrl, model, metadata } = fields as Fields;

  for (const [name, text] of Object.entries({ prompt, negative_prompt: negativePrompt })) {
    if (text !== undefined && isFine(name) && !isStorable(text)) found.push(notStorable(name));
  }
  if (!options.livemode && prompt !== undefined && isFine('prompt')) {
    const parsed = parseDirectives(prompt);
    if ('problem' in parsed) found.push({ error: 'invalid_parameter', param: 'prompt', ...parsed.problem });
  }
  if (imageUrl !== undefined && isFine('image_url')) {
    const problem = imageUrlProblem(imageUrl, { allowHttp: options.allowHttpImages });
    if (problem) found.push(problem);
  }
  const { callback_url: callbackUrl } = fields as Fields;
  if (callbackUrl !== undefined && isFine('callback_url')) {
    const problem = isStorable(callbackUrl)
      ? receiverUrlProblem(callbackUrl, 'callback_url', options.refusalOfUrl)
      : notStorable('callback_url');
    if (problem) found.push(problem);
  }
  const named = model !== undefined && isFine('model') ? findModel(options.catalogue, model) : null;
  // A disabled model is refused later, by resolveModel.
  if (named?.isEnabled) found.push(...combinationProblems(named, fields, options, isFine));
  if (model !== undefined && isFine('model') && !named) {
    const allowed = options.catalogue.models.map(({ id }) => id);
    const message = `model must be one of the models of this installation: ${allowed.join(', ')}`;
    found.push({ error: 'unknown_model', param: 'model', code: 'not_allowed', message, allowed });
  }
  if (metadata !== undefined && isFine('metadata')) found.push(...metadataProblems(metadata));
  return found;
}

/** Returns what the named model cannot do, before the image is known. Fields that have another problem are left out. */
function combinationProblems(
  model: Model,
  fields: Fields,
  { type, alreadyRead }: Options,
  isFine: (name: string) => boolean,
): Problem[] {
  const combination = {
    type,
    resolution: fields.resolution ?? requestDefaults.resolution,
    aspectRatio: fields.aspect_ratio ?? (type === 'image_to_video' ? null : requestDefaults.aspectRatio),
    durationSeconds: fields.duration ?? requestDefaults.durationSeconds,
  };
  return unsupportedBy(model, combination)
    .filter(({ param }) => isFine(param))
    .map((unsupported) => ({
      error: 'unsupported_combination',
      param: alreadyRead?.shownAs[unsupported.param] ?? unsupported.param,
      code: 'not_allowed',
      message: unsupportedMessage(model, unsupported),
      allowed: unsupported.allowed,
    }));
}

function metadataProblems(metadata: Record<string, string>): Problem[] {
  const pairs = Object.entries(metadata);
  const found = pairs
    .filter(([key, value]) => !isStorable(key) || !isStorable(value))
    .map(([key]) => notStorable(`metadata.${nameForPeople(key)}`));
  const sizeBytes = pairs.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (sizeBytes > requestLimits.metadata.bytes) {
    const message = `metadata must be at most ${requestLimits.metadata.bytes} bytes, keys and values together`;
    found.push({ error: 'invalid_parameter', param: 'metadata', code: 'too_long', message });
  }
  return found;
}

/** Returns what a caller should know about how a valid request will be carried out. */
function useWarnings(request: GenerationRequest, options: Options): Warning[] {
  const { type, catalogue, livemode } = options;
  const model =
    request.model === null ? chooseModel(catalogue, { type, ...request }) : findModel(catalogue, request.model);
  const warnings: Warning[] = [];
  if (request.negativePrompt !== null && model && !model.usesNegativePrompt) {
    const message = `The model ${model.id} cannot use negative_prompt; it was ignored.`;
    warnings.push({ code: 'unsupported_parameter', param: 'negative_prompt', message });
  }
  if (request.callbackEvents !== null && request.callbackUrl === null) {
    const message = 'callback_events was ignored, because there is no callback_url.';
    warnings.push({ code: 'ignored_parameter', param: 'callback_events', message });
  }
  if (request.seed !== null && engineSeed(request.seed) !== request.seed) {
    const message = `Engines use seeds modulo 2^32: this seed becomes ${engineSeed(request.seed)}.`;
    warnings.push({ code: 'seed_reduced', param: 'seed', message });
  }
  const ofDirectives = directiveWarning(request.prompt, livemode);
  if (ofDirectives !== null) warnings.push({ code: 'ignored_directive', param: 'prompt', message: ofDirectives });
  const ofPrompt = model && options.promptWarning({ type, prompt: request.prompt, model, livemode });
  if (ofPrompt) warnings.push(ofPrompt);
  return warnings;
}

function ignoredWarning(param: string): Warning {
  return { code: 'ignored_parameter', param, message: `Text to video does not use ${param}; it was ignored.` };
}

function withItsOwnCode(problem: Problem): Problem {
  return problem.param === 'prompt' && problem.code === 'too_long' ? { ...problem, error: 'prompt_too_long' } : problem;
}

/** Adds to the problem of a missing field that the caller probably sent it under another name, such as `image`. */
function withMistypedName(problem: Problem, unknown: readonly string[]): Problem {
  if (problem.error !== 'missing_parameter') return problem;
  const sent = unknown.find((name) => nearestName(name, knownFields) === problem.param);
  if (sent === undefined) return problem;
  const message = `${problem.message}. ${nameForPeople(sent)} is not a known parameter. Did you mean ${problem.param}?`;
  return { ...problem, message };
}

function inOrder(problems: Problem[]): Problem[] {
  return problems.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function placeOf({ param }: Problem): number {
  return knownFields.indexOf(param.split('.')[0] ?? '');
}

/** Returns whether Postgres can store a text: it accepts neither NUL nor half a surrogate pair. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function notStorable(param: string): Problem {
  const message = `${param} must be valid Unicode text without NUL characters`;
  return { error: 'invalid_parameter', param, code: 'malformed', message };
}

function withoutNulls(value: unknown): unknown {
  // fromEntries defines properties, so that a key named __proto__ is a key like any other.
  return isPlainObject(value) ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null)) : value;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
