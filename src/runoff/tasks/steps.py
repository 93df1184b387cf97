"""Steps of preparation that belong to tasks; imported when a model names one."""

from __future__ import annotations

from runoff.features.steps import Step, register_step

register_step("text", Step("runoff.tasks.text.featurizer:apply_text", "runoff.tasks.text.featurizer:is_text"))
