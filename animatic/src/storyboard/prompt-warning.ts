import { describeReading, listed } from './describe-reading.ts';
import { readPrompt } from './read-prompt.ts';
import type { PromptReading } from './storyboard.ts';

/** A warning for the caller; the service shows it among the warnings of a task. */
export interface PromptWarning {
  code: 'prompt_not_understood';
  param: 'prompt';
  message: string;
}

const mostWordsNamed = 6;

/** Returns a warning about what the animatic will not draw, or null; the same for every seed. */
export function promptWarning(type: 'text_to_video' | 'image_to_video', prompt: string): PromptWarning | null {
  const reading = readPrompt(prompt);
  const message = type === 'image_to_video' ? imageMessage(reading) : textMessage(reading);
  return message === null ? null : { code: 'prompt_not_understood', param: 'prompt', message };
}

/**
 * The prompt of an image-to-video task describes the image, which is shown as it is, so unknown words need no warning.
 * The animatic can only move the camera over it, so if the prompt names no camera move, the warning lists them.
 */
function imageMessage({ cameraMoves }: PromptReading): string | null {
  if (cameraMoves.length > 0) return null;
  return (
    'The built-in engine moves only the camera over an image, and the prompt names no camera move, so the camera ' +
    'will drift slowly. It knows pan, tilt, zoom, dolly, orbit, aerial, close-up and slow motion.'
  );
}

function textMessage(reading: PromptReading): string | null {
  const { notUnderstood, furtherNotUnderstood, leftOut } = reading;
  if (!namesSomething(reading)) {
    const unknown = quoted(notUnderstood, { conjunction: 'or', further: furtherNotUnderstood });
    const reason = unknown === '' ? 'found no English word that it knows' : `doesn't know ${unknown}`;
    return (
      `The built-in engine ${reason}, so it will draw an abstract picture. It reads English and knows scenes such as ` +
      'mountains, sea, forest, city, desert and space.'
    );
  }
  if (notUnderstood.length + leftOut.length === 0) return null;
  const sentences = [
    notUnderstood.length > 0 &&
      `The built-in engine won't draw ${quoted(notUnderstood, { conjunction: 'or', further: furtherNotUnderstood })}.`,
    leftOut.length > 0 &&
      `The built-in engine draws one scene, one subject and one of every other kind, and left out ${quoted(leftOut)}.`,
    `It will draw ${describeReading(reading)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function namesSomething({ scene, time, weather, season, subject, colours, cameraMoves }: PromptReading): boolean {
  return Boolean(scene ?? time ?? weather ?? season ?? subject) || colours.length + cameraMoves.length > 0;
}

function quoted(
  words: readonly string[],
  { conjunction = 'and', further = 0 }: { conjunction?: 'and' | 'or'; further?: number } = {},
): string {
  const named = words.slice(0, mostWordsNamed).map((word) => `"${word}"`);
  const rest = further + words.length - named.length;
  return listed([...named, ...(rest > 0 ? [`${rest} more ${rest === 1 ? 'word' : 'words'}`] : [])], conjunction);
}
