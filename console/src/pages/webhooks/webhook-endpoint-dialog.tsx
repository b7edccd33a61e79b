import type { IssuedWebhookEndpoint, WebhookEndpoint } from '@kinora/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/project.tsx';
import { Checkbox } from '../../design/checkbox.tsx';
import { TextField } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Segments } from '../../design/segments.tsx';
import { Problem } from '../../design/states.tsx';
import { type EventType, eventTypes } from './webhooks-search.ts';

const about: Record<EventType, string> = {
  'video.started': 'An engine has started the task.',
  'video.completed': 'The video is ready.',
  'video.failed': 'The task failed.',
  'video.cancelled': 'The task was cancelled.',
};

/** Asks for the fields of an endpoint, new or known. */
export function WebhookEndpointDialog({
  endpoint,
  onCreated,
  onChanged,
  onClose,
}: {
  endpoint: WebhookEndpoint | null;
  onCreated: (endpoint: IssuedWebhookEndpoint) => void;
  onChanged: (endpoint: WebhookEndpoint) => void;
  onClose: () => void;
}) {
  const { kinora, mode } = useProject();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [isAll, setIsAll] = useState((endpoint?.events.length ?? 0) === 0);
  const [events, setEvents] = useState<readonly EventType[]>(
    endpoint && endpoint.events.length > 0 ? endpoint.events : ['video.completed', 'video.failed'],
  );
  const [isTried, setIsTried] = useState(false);
  const save = useMutation({
    mutationFn: async (): Promise<void> => {
      const fields = { url: url.trim(), description: description.trim(), events: isAll ? [] : [...events] };
      if (endpoint) onChanged(await kinora.webhookEndpoints.update(endpoint.id, fields));
      else onCreated(await kinora.webhookEndpoints.create(fields));
    },
  });
  const isUrl = /^https?:\/\/\S+$/.test(url.trim());
  return (
    <FormDialog
      title={endpoint ? 'Edit endpoint' : `Add a ${mode} endpoint`}
      lead="Kinora sends a signed POST request for each event. If it fails, Kinora retries it for days."
      action={endpoint ? 'Save' : 'Add endpoint'}
      dismissal="Close"
      isBusy={save.isPending}
      isCheckedHere
      onSubmit={() => {
        setIsTried(true);
        if (isUrl && (isAll || events.length > 0)) save.mutate();
      }}
      onClose={onClose}
    >
      <TextField
        label="URL"
        type="url"
        isMono
        autoFocus
        placeholder="https://example.com/hooks/kinora"
        hint="A public https URL."
        value={url}
        onChange={setUrl}
        problem={isTried && !isUrl ? 'Enter the full URL, with https://.' : null}
      />
      <TextField
        label="Description"
        maxLength={200}
        placeholder="What it is for"
        value={description}
        onChange={setDescription}
      />
      <fieldset>
        <legend className="mb-1 text-small font-medium text-quiet">Events</legend>
        <div className="inline-block">
          <Segments
            label="Events"
            value={isAll ? 'all' : 'some'}
            options={[
              { value: 'all', label: 'All, including future ones' },
              { value: 'some', label: 'Only these' },
            ]}
            onChange={(next) => setIsAll(next === 'all')}
          />
        </div>
        {!isAll && (
          <ul className="mt-2 divide-y border-y">
            {eventTypes.map((type) => (
              <li key={type} className="py-1.5">
                <Checkbox
                  label={type}
                  isChecked={events.includes(type)}
                  onChange={(isOn) =>
                    setEvents(eventTypes.filter((one) => (one === type ? isOn : events.includes(one))))
                  }
                >
                  <code className="text-small">{type}</code> <span className="text-quiet">{about[type]}</span>
                </Checkbox>
              </li>
            ))}
          </ul>
        )}
        {isTried && !isAll && events.length === 0 && (
          <p role="alert" className="mt-1 text-small text-failed">
            Choose at least one. To receive none, disable the endpoint.
          </p>
        )}
      </fieldset>
      {save.isError && <Problem isInline error={save.error} />}
    </FormDialog>
  );
}
