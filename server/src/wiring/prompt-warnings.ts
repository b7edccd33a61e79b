import { promptWarning } from '@kinora/animatic/prompt-warning';
import type { PromptWarning } from '../api/requests/prompt-warning.ts';
import { withoutDirectives } from '../domain/directive.ts';
import { animatic } from '../domain/model.ts';
import type { CatalogueSource } from '../engines/models-file/catalogue-source.ts';

/** Wires warnings about what the animatic will not draw; how other engines read prompts is not known beforehand. */
export function wirePromptWarnings(models: Pick<CatalogueSource, 'current'>): PromptWarning {
  return ({ type, prompt, model, livemode }) => {
    // In test mode the built-in engine draws, whatever the model.
    const pool = livemode ? model.pool : animatic.pool;
    const isDrawn = models
      .current()
      .endpoints.some((endpoint) => endpoint.pool === pool && endpoint.engine === 'animatic');
    return isDrawn ? promptWarning(type, withoutDirectives(prompt)) : null;
  };
}
