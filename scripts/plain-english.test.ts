import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFiles, repository } from './project-files.fixture.ts';

// The rules are in CONTRIBUTING.md, "Style". This test holds the phrases that readers stumbled over most.

/** Each phrase with what to write instead. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(seeThrough|see-through)\b/, 'runJobToEnd'],
  [/\b\w*([a-z]Standing|standingOf)\b/, 'a state, a status or a place, named after whose it is'],
  [/\b(EndpointSight|EndpointLook|sightOf)\b/, 'EndpointStatus, EndpointLeases, probe, observe'],
  [/\bopen shape\b/i, 'OpenAI-compatible'],
  [/\b(takeImage|intakeImage|intake-image)\b/, 'storeInputImage, normaliseImage'],
  [/\b(followWays|follow-ways)\b/, 'followTransports'],
  [/\btorment\w*/i, 'chaos, or the fault that is injected'],
  [/\btend(Soon|Endpoints|EveryMilliseconds)\b/, 'maintain'],
  [/\btold event\b|\bToldEvent\b/i, 'event'],
  [/\bsecondsCutShort\b/, 'engineSecondsSoFar'],
  [/\b[\w-]+-for-tests\.ts\b/, 'a file name that ends in .fixture.ts'],
  [/\bha(d|s|ve had|s had|ving had) (its|their) time\b/i, 'expired'],
  [/\bspeaks? against\b/i, 'counts as a failure of'],
  [/\b(goes|went|gone) another way\b/i, 'was cancelled, retried or taken over'],
  [/\bis worked for\b/i, 'polling for work'],
  [/\b(it|this) is no model\b/i, 'is not a model'],
  [/\bwere met\b/i, 'were tested'],
  [/\bfrom \d+ on\b/i, 'N or later'],
  [/\b(is|are) tried anew\b/i, 'is retried'],
  [/\bonly what stands\b|\bstands? (like this|behind `)/i, 'has this status, follows'],
  [/\bso (long|many|often|much) (before|in a row|as the default)\b/i, 'a number with its unit'],
  [/\bthe task is (failed|cancelled),/i, 'the task failed, the task was cancelled'],
  [/\bthis address takes\b/i, 'Method not allowed. Use …'],
  [/\bthe key works\b/i, 'Signed in'],
  [/\b(what a create would do|what happened to a generation task|the bytes of a generated video)\b/i, 'an imperative'],
  [/\bfrom its begin to its completion\b/i, 'from start to completion'],
  [/\bwhat may come now\b/i, 'requests left'],
  [/^#+ of (the|development)\b/im, 'a heading that is a noun'],
  [/\bwhoever\b/i, 'the actor: the caller, another worker, the owner'],
  [/\bfor ever\b/i, 'without a limit, or the limit'],
];

/** Files that are exempt: history, recorded data and third-party texts. */
const isKept =
  /^(CHANGELOG\.md|LICENSE|docs\/renamed\.md|package-lock\.json|scripts\/plain-english\.test\.ts)$|\/(migrations|recorded|goldens?|licenses)\//;

/** Puts a sentence that a comment or a paragraph wraps on one line, so that a phrase is found across line ends. */
function unwrap(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|#|--)?[ \t]*(?=[a-z`])/g, ' ');
}

/** Drops the column "Before" of the examples in CONTRIBUTING.md. */
function withoutExamples(text: string): string {
  return text.replaceAll(/^(\| (?:Document|Setting|Comment|Log|Test),[^|]*\|)[^|]*\|/gm, '$1 |');
}

function findPhrases(text: string): string[] {
  const readable = unwrap(withoutExamples(text));
  return phrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(readable);
    return found ? [`"${found[0].trim()}": write ${instead}`] : [];
  });
}

test('a phrase that readers stumbled over is found, even if a comment wraps it', () => {
  expect(findPhrases('/** A lease whose task went\n * another way is drained. */')).toHaveLength(1);
  expect(findPhrases('// It waits for\n  // ever.')).toHaveLength(1);
  expect(findPhrases('| Log, `a.ts` | a job speaks against its endpoint | endpoint failure recorded |')).toEqual([]);
  expect(findPhrases('The task failed, so there is no video to download.')).toEqual([]);
});

test('no text in the repository has a phrase that readers stumbled over', () => {
  const files = projectFiles()
    .filter((path) => /\.(ts|tsx|js|mjs|cjs|py|md|json|ya?ml|sql|sh|txt|html|example)$|^\.ci\/|^scripts\//.test(path))
    .filter((path) => !isKept.test(path));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((path) =>
    findPhrases(readFileSync(join(repository, path), 'utf8')).map((problem) => `${path}: ${problem}`),
  );
  expect(found).toEqual([]);
});
