import { isAttemptFailureCode, isRejectionCode } from '../../domain/failure.ts';
import type { EngineDescription, JobState } from '../engine.ts';
import { fieldsOf } from '../engine-http.ts';

const maximumTextLength = 200;

/** Parses what the engine process says about itself. */
export function parseDescription(json: unknown): EngineDescription {
  const { engine, version, slots } = fieldsOf(json);
  if (!isShortText(engine) || !isShortText(version)) throw unexpected('description');
  if (typeof slots !== 'number' || !Number.isInteger(slots) || slots < 1) throw unexpected('description');
  return { engine, version, slots, models: null, problems: [] };
}

/** Parses what the engine process says about one job. */
export function parseJobState(json: unknown): JobState {
  const { state, progress, code, reason } = fieldsOf(json);
  switch (state) {
    case 'running':
      if (typeof progress !== 'number' || !(progress >= 0 && progress <= 100)) throw unexpected('progress');
      return { state, progress };
    case 'succeeded':
      return { state };
    case 'failed':
      return {
        state,
        // The job certainly failed; an unknown code must not leave it without an end.
        code: isAttemptFailureCode(code) || isRejectionCode(code) ? code : 'engine_crashed',
        reason: isShortText(reason) ? reason : 'the engine gave no reason',
      };
    default:
      throw unexpected('state');
  }
}

/** Parses what the engine process says a cancel achieved. */
export function parseCancel(json: unknown): 'stopped' {
  if (fieldsOf(json)['outcome'] !== 'stopped') throw unexpected('outcome of a cancel');
  return 'stopped';
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= maximumTextLength;
}

function unexpected(what: string): Error {
  return new Error(`the engine sent an unexpected ${what}`);
}
