import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RenderRequest } from '../engine.ts';
import { type RecordedVersion, runOf } from './comfyui-recordings.fixture.ts';
import type { ComfyTemplate } from './comfyui-template.ts';
import { parseComfyTemplate } from './parse-comfyui-template.ts';

/** Reads a template of this repository. */
export function readTemplate(name: 'weight-free' | 'wan-2.2-text-to-video' | 'wan-2.2-image-to-video'): ComfyTemplate {
  return insist(readTemplateText(name));
}

export function readTemplateText(name: string): string {
  return readFileSync(new URL(`../../../../deploy/comfyui/${name}.json`, import.meta.url), 'utf8');
}

/** Parses a template; throws if it has problems. */
export function insist(text: string): ComfyTemplate {
  const parsed = parseComfyTemplate(text);
  if (!parsed.isValid) throw new Error(parsed.problems.join('\n'));
  return parsed.template;
}

const noise = {
  seed: ['2.seed'],
  width: ['1.width'],
  height: ['1.height'],
  frame_count: ['1.batch_size'],
  fps: ['3.fps'],
  filename_prefix: ['4.filename_prefix'],
};
const wan = {
  prompt: ['3.text'],
  negative_prompt: ['4.text'],
  seed: ['7.seed'],
  width: ['5.width'],
  height: ['5.height'],
  frame_count: ['5.length'],
  fps: ['9.fps'],
  filename_prefix: ['10.filename_prefix'],
};
const still = {
  image: ['1.image'],
  frame_count: ['2.amount'],
  fps: ['3.fps'],
  filename_prefix: ['4.filename_prefix'],
  width: ['5.width'],
  height: ['5.height'],
  seed: ['5.color'],
};

/** Makes a template of a recorded graph, so that the recorded messages are about the nodes of our jobs. */
export function recordedTemplate(version: RecordedVersion, name: '01_t2v' | '04_i2v' | '40_wan_t2v'): ComfyTemplate {
  const { graph: recorded } = runOf(version, name);
  const bindings = { '01_t2v': noise, '04_i2v': still, '40_wan_t2v': wan }[name];
  // The recorded graph takes its size from its image, so the size is bound to an added node, which never runs.
  const graph = { ...recorded, ...(name === '04_i2v' ? { 5: runOf(version, '01_t2v').graph['1'] } : {}) };
  const output = Object.keys(graph).find((id) => recorded[id]?.class_type === 'SaveVideo');
  return insist(JSON.stringify({ name, graph, output, bindings }));
}

/** Returns a small job under a new id. */
export function request(overrides: Partial<RenderRequest> = {}): RenderRequest {
  const text = { prompt: 'a paper boat', negativePrompt: null, seed: 5, image: null };
  return { jobId: randomUUID(), ...text, width: 64, height: 64, fps: 8, frameCount: 9, ...overrides };
}
