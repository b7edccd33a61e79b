import { describe, expect, test } from 'vitest';
import { readTemplate, readTemplateText } from './comfyui-template.fixture.ts';
import { parseComfyTemplate } from './parse-comfyui-template.ts';

/** The weight-free template with some of its fields changed. */
function changed(change: (file: Record<string, Record<string, unknown>>) => void): string {
  const file = JSON.parse(readTemplateText('weight-free')) as Record<string, Record<string, unknown>>; // our own file
  change(file);
  return JSON.stringify(file);
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseComfyTemplate(text);
  return parsed.isValid ? [] : parsed.problems;
}

describe('a graph template', () => {
  test.each(['weight-free', 'wan-2.2-text-to-video', 'wan-2.2-image-to-video'] as const)('%s is valid', (name) => {
    const template = readTemplate(name);
    expect(template.name).toBe(name);
    expect(template.graph[template.output]?.class_type).toBe('SaveVideo');
    expect(template.graph[template.output]?.inputs).toMatchObject({ format: 'mp4', codec: 'h264' });
  });

  test.each([
    ['invalid JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('a graph template that is %s is refused', (_name, text) => {
    expect(problemsOf(text)).toEqual(['The file must hold one JSON object.']);
  });

  test.each<[string, (file: Record<string, Record<string, unknown>>) => void, RegExp]>([
    ['a field that does not exist', (file) => Object.assign(file, { binding: {} }), /no field "binding"/],
    ['a graph for the editor', (file) => Object.assign(file, { graph: { nodes: [] } }), /Export \(API\)/],
    ['a missing binding', (file) => delete file['bindings']?.['seed'], /lacks "seed"/],
    ['an unknown binding', (file) => Object.assign(file['bindings'] ?? {}, { promt: ['1.color'] }), /no "promt"/],
    ['a node that does not exist', (file) => Object.assign(file['bindings'] ?? {}, { fps: ['77.fps'] }), /"77"/],
    ['an input that does not exist', (file) => Object.assign(file['bindings'] ?? {}, { fps: ['3.rate'] }), /"3.rate"/],
    ['an input that is linked', (file) => Object.assign(file['bindings'] ?? {}, { fps: ['3.images'] }), /linked/],
    ['a link to nothing', (file) => delete file['graph']?.['1'], /linked to "1"/],
    ['an output that does not exist', (file) => Object.assign(file, { output: '5' }), /"output"/],
    ['a grid of 0', (file) => Object.assign(file, { grid: 0 }), /"grid"/],
    ['models without folders', (file) => Object.assign(file, { models: ['a.safetensors'] }), /"models"/],
  ])('a graph template with %s is refused with a sentence about it', (_name, change, expected) => {
    const problems = problemsOf(changed(change));
    expect(problems.join('\n')).toMatch(expected);
    for (const problem of problems) expect(problem).toMatch(/^.+\.$/);
  });

  test('is refused with all of its problems at once', () => {
    const problems = problemsOf(changed((file) => Object.assign(file, { name: '', output: '5', frame_step: 1.5 })));
    expect(problems).toHaveLength(3);
  });
});
