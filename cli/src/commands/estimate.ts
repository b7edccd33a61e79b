import type { Estimate } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { addRequestOptions, quotedPrompt, type RequestOptions, requestOf } from '../request-options.ts';
import { span } from '../terminal/clock.ts';
import { type Fact, renderFacts } from '../terminal/facts.ts';

/** Adds `kinora estimate`, which shows what `kinora generate` would do, and creates nothing. */
export function addEstimate(program: Command, context: () => Context): void {
  const command = program
    .command('estimate')
    .description('show the size, price and time of a request, without creating a task')
    .addHelpText('after', helpExamples('kinora estimate "a paper boat on a quiet lake" --resolution 1080p'));
  addRequestOptions(command).action(async (_prompt: string, options: RequestOptions) => {
    const prompt = quotedPrompt(command);
    const { kinora, print, columns } = context();
    const estimate = await (await kinora()).videos.estimate(await requestOf(prompt, options));
    print(renderEstimate(estimate, columns), estimate);
  });
}

/** Renders an estimate for people. */
export function renderEstimate(
  { type, request, warnings, price, expected_seconds: seconds }: Estimate,
  columns?: number,
) {
  const size = request.size ?? `${request.resolution}, aspect ratio of the picture`;
  const seed = request.seed === null ? 'random seed' : `seed ${request.seed}`;
  const facts: Fact[] = [
    ['from', type === 'image_to_video' ? 'picture and text' : 'text'],
    ['prompt', request.prompt],
    ['avoiding', request.negative_prompt],
    ['model', request.model],
    ['video', `${size}, ${request.duration} s, ${seed}`],
    ['price', price && `${price.amount} ${price.currency}`],
    ['takes', seconds === null ? null : `about ${span(seconds)} once it has started`],
    ...warnings.map(({ message }): Fact => ['warning', message]),
  ];
  return renderFacts(facts, columns);
}
