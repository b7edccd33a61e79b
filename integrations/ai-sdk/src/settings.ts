import { LoadAPIKeyError, LoadSettingError } from '@ai-sdk/provider';

/** How a provider is made. */
export interface KinoraProviderSettings {
  /** A key of the project: `kin_live_…` or `kin_test_…`. Taken from KINORA_API_KEY where there is one. */
  apiKey?: string | undefined;
  /** Where the service is, without `/v1`. Taken from KINORA_BASE_URL where there is one. */
  baseURL?: string | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
  /** Instead of the platform's own fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The callback secret of the project (`whsec_…`). With it, what the `webhook` option receives must carry the service's signature;
   * hand over the body as the text that came. Without it, a webhook is no more than a reason to ask the service.
   */
  webhookSecret?: string | undefined;
  /**
   * How finished videos are handed over. `bytes`: downloaded from the service with the key, wherever it runs. `url`: as a signed URL
   * of one hour, which the AI SDK downloads by itself; it refuses addresses of private networks. Default: `bytes`.
   */
  delivery?: 'bytes' | 'url' | undefined;
}

/** Read when it is needed and not before: importing the default provider must work without any setting. */
export function accessOf(settings: KinoraProviderSettings): { apiKey: string; baseUrl: string } {
  const apiKey = settings.apiKey ?? fromEnvironment('KINORA_API_KEY');
  if (!apiKey) {
    throw new LoadAPIKeyError({ message: 'No key of Kinora: give createKinora an apiKey, or set KINORA_API_KEY.' });
  }
  const baseUrl = settings.baseURL ?? fromEnvironment('KINORA_BASE_URL');
  if (!baseUrl) {
    throw new LoadSettingError({
      message: 'No address of Kinora: give createKinora a baseURL, or set KINORA_BASE_URL.',
    });
  }
  return { apiKey, baseUrl };
}

/** Node, Bun, Deno and edge runtimes have it, browsers do not. */
function fromEnvironment(name: string): string | undefined {
  const platform = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return platform.process?.env?.[name] || undefined;
}
