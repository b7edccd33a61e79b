// Not a module to import from: Temporal's bundler takes one file, and every workflow that it exports exists.
export { deliverWebhook } from './deliver-webhook.ts';
export { generateVideo } from './generate-video.ts';
