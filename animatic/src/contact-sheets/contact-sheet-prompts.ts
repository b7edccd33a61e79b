/** The prompts of the contact sheets in docs/animatic/. The README.md there lists them in this order, one per row. */
export const contactSheetPrompts = {
  /** Together they show every scene, every time of day, every season and every weather. */
  twelve: [
    'a red sailing boat on a calm sea at sunset, clear sky',
    'a steam train crossing snowy mountains at dawn, falling snow',
    'a taxi in a neon city street at night, rain',
    'a hot air balloon over desert dunes at noon, a few clouds, pan right',
    'a hiker in an autumn forest, morning mist',
    'a rocket among planets and stars in deep space',
    'northern lights over the mountains on a winter night',
    'an eagle over green valleys on a spring day, aerial view',
    'fish over a coral reef in the afternoon, close-up',
    'an old town on a summer day, clear sky, zoom in',
    'a fishing boat at sea in a thunderstorm at dusk, slow motion',
    'abstract shapes in teal and orange, orbit shot',
  ],
  /** Things that a scene has only if the prompt names them. */
  features: [
    'a castle in the mountains at dawn, a few clouds',
    'a castle above an old town at dusk, clear sky',
    'a lighthouse on a starry night',
    'waves crashing on rocks at sunset',
    'breaking waves on a beach on a summer day',
    'a paper boat drifts down a rain-soaked street',
    'an orange paper boat on a pond on a summer morning',
    'neon signs in a city street on a rainy night',
  ],
  /** With the twelve they show every subject. */
  animalsAndRobot: [
    'a ginger cat in an old town at dusk, clear sky',
    'a black cat sitting in the city at night, clear sky, close-up',
    'a golden retriever on the beach on a summer day',
    'a brown dog sleeping in an autumn forest by day, close-up',
    'a white horse in the desert at dawn',
    'a brown horse in the mountains in autumn, clouds',
    'a robot dancing in neon Tokyo',
    'an orange robot on a distant planet, close-up',
  ],
  ratios: 'a sailing boat on the sea at dusk, clouds',
  seeds: 'a balloon over the mountains in the morning',
  /** The moves over one image, which is drawn from the prompt `image`. */
  imageMoves: ['pan right', 'zoom in', 'dolly shot', 'orbit shot'],
  image: 'a red car in the desert at dusk',
} as const;
