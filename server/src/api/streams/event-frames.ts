import type { EventWithView } from '../../live/watched-project.ts';
import type { ApiParts } from '../api-parts.ts';
import { presentEvent } from '../presenters/present-event.ts';
import { signLinks } from '../presenters/present-with-links.ts';
import { eventMessage } from './event-stream.ts';

export type RenderEvent = (event: EventWithView) => Promise<Buffer>;

/** Renders an event once, however many streams it goes to: the hub hands the same object to all of them. */
export function createEventFrames(parts: Pick<ApiParts, 'links' | 'log'>): RenderEvent {
  const rendered = new WeakMap<EventWithView, Promise<Buffer>>();
  return (event) => {
    const known = rendered.get(event);
    if (known) return known;
    const frame = render(event, parts);
    rendered.set(event, frame);
    return frame;
  };
}

async function render({ event, view }: EventWithView, parts: Pick<ApiParts, 'links' | 'log'>): Promise<Buffer> {
  const body = presentEvent(event, view, await signLinks(view, parts));
  return eventMessage({ id: event.id, event: event.type, data: JSON.stringify(body) });
}
