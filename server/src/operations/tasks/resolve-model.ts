import { type Catalogue, chooseModel, findModel } from '../../domain/catalogue.ts';
import { type Combination, type Model, type Unsupported, unsupportedBy } from '../../domain/model.ts';
import { AppError } from '../../errors.ts';

/** Returns the model for a combination: the named one, or the first that supports it. Its errors go to callers. */
export function resolveModel(catalogue: Catalogue, name: string | null, combination: Combination): Model {
  if (name === null) {
    const chosen = chooseModel(catalogue, combination);
    if (chosen) return chosen;
    const message =
      'No model of this installation supports this combination. GET /v1/models shows what each model supports.';
    throw new AppError('unsupported_combination', { message });
  }
  const model = findModel(catalogue, name);
  if (!model) throw new AppError('unknown_model', { param: 'model' });
  if (!model.isEnabled) throw new AppError('no_engine_available', { message: disabledMessage(model) });
  const unsupported = unsupportedBy(model, combination);
  const [first] = unsupported;
  if (first) {
    const details = unsupported.map(({ param, allowed }) => ({
      param,
      code: 'not_allowed',
      message: unsupportedMessage(model, { param, allowed }),
      allowed,
    }));
    throw new AppError('unsupported_combination', {
      message: unsupportedMessage(model, first),
      param: first.param,
      details,
    });
  }
  return model;
}

/** Returns a sentence that says what a model does not support and what it does. */
export function unsupportedMessage(model: Model, { param, allowed }: Unsupported): string {
  if (param === 'type')
    return `The model ${model.id} does not support this operation; it supports ${allowed.join(' and ')}.`;
  if (param === 'duration') return `The model ${model.id} makes videos of ${allowed.join(' to ')} seconds.`;
  return `The model ${model.id} does not support this ${param}; it supports ${allowed.join(', ')}.`;
}

function disabledMessage({ id }: Model): string {
  return `The model ${id} is disabled on this installation. Choose another model, or leave model out.`;
}
