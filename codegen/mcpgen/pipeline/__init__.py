"""Steps of a build, which `app` calls in order."""
