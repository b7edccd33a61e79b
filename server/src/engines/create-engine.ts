import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../domain/clock.ts';
import { createAnimaticEngine } from './animatic/animatic-engine.ts';
import { type CogReports, createCogEngine } from './cog/cog-engine.ts';
import type { CogInputField } from './cog/cog-inputs.ts';
import { createComfyEngine } from './comfyui/comfyui-engine.ts';
import type { ComfyTemplate } from './comfyui/comfyui-template.ts';
import type { Engine } from './engine.ts';
import type { OpenAiVideosDialectName } from './openai-videos/openai-videos-dialect.ts';
import { createOpenAiVideosEngine } from './openai-videos/openai-videos-engine.ts';
import type { Endpoint } from './registry.ts';

/** The settings that an endpoint needs besides its URL, by the kind of its engine. */
export type EngineKind =
  | { engine: 'animatic' }
  | { engine: 'cog'; inputs: Readonly<Partial<Record<CogInputField, string | null>>> }
  | { engine: 'openai-videos'; dialect: OpenAiVideosDialectName; model: string | null }
  | { engine: 'comfyui'; templates: { textToVideo: ComfyTemplate | null; imageToVideo: ComfyTemplate | null } };

/** An endpoint as the operator describes it. */
export type EndpointDescription = EngineKind & {
  id: string;
  pool: string;
  url: string;
  /** The secret itself; null if the endpoint needs none. */
  token: string | null;
  slots: number;
};

/** Returns the adapter for an endpoint. It opens no connection before its first use. */
export function createEngine(
  endpoint: EndpointDescription,
  { reports, clock }: { reports: CogReports; clock: Clock },
): Engine {
  const { url, token, slots } = endpoint;
  switch (endpoint.engine) {
    case 'animatic':
      return createAnimaticEngine({ url });
    case 'cog':
      return createCogEngine({ url, token, slots, inputs: endpoint.inputs, reports, clock });
    case 'openai-videos':
      return createOpenAiVideosEngine({ url, token, slots, clock, dialect: endpoint.dialect, model: endpoint.model });
    case 'comfyui':
      return createComfyEngine({ url, token, slots, templates: endpoint.templates });
  }
}

/**
 * Turns each configuration's descriptions into endpoints. An unchanged one keeps its engine. One that was missing in
 * between gets a new one, because the process closed the old one.
 */
export function createEndpointMaker(
  create: (description: EndpointDescription) => Engine,
): (descriptions: readonly EndpointDescription[]) => Endpoint[] {
  let last: { description: EndpointDescription; endpoint: Endpoint }[] = [];
  return (descriptions) => {
    last = descriptions.map((description) => {
      const kept = last.find((made) => isDeepStrictEqual(made.description, description));
      if (kept) return kept;
      return { description, endpoint: { id: description.id, pool: description.pool, engine: create(description) } };
    });
    return last.map(({ endpoint }) => endpoint);
  };
}
